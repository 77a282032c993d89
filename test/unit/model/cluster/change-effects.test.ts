import { expect, test } from "vitest";
import { recreationAlternative } from "../../../../src/model/cluster/change-effects.ts";
import { protectedKinds } from "../../../../src/ssa/protection.ts";

test("no fix suggests deleting an object of a protected kind for an immutable field", () => {
  for (const kind of protectedKinds.keys()) {
    expect(recreationAlternative(kind), kind).toMatch(/^Declare another .*: deleting this one /);
  }
});
