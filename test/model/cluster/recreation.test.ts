import { expect, test } from "vitest";
import { insteadOfRecreation } from "../../../src/model/cluster/recreation.ts";
import { protectedKinds } from "../../../src/ssa/protection.ts";

test("of no protected kind somebody is told to delete it, to change what can't be changed", () => {
  for (const kind of protectedKinds.keys()) {
    expect(insteadOfRecreation(kind), kind).toMatch(/^Declare another .*: deleting this one /);
  }
});
