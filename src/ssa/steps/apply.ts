import type { StepOf } from "../../model/plan.ts";
import type { StepKind } from "./step.ts";

/** What every change ends with, unless another step takes its place. */
export const apply: StepKind<StepOf<"apply">> = {
  detect: () => undefined,
  assume: () => undefined,
  execution: () => ({ by: "apply", force: [] }),
  describe: () => [],
  digest: () => ({}),
};
