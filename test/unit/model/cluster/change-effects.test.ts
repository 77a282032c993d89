import { expect, test } from "vitest";
import { recreationAlternative } from "../../../../src/model/cluster/change-effects.ts";
import { protectedKinds } from "../../../../src/ssa/protection.ts";

test("of no protected kind somebody is told to delete it, to change what can't be changed", () => {
  for (const kind of protectedKinds.keys()) {
    expect(recreationAlternative(kind), kind).toMatch(/^Declare another .*: deleting this one /);
  }
});
