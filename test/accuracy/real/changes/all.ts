import type { Batch } from "../play-batch.ts";
import { addons } from "./addons.ts";
import { applications } from "./applications.ts";
import { kinds } from "./kinds.ts";
import { routes } from "./routes.ts";
import { traffic } from "./traffic.ts";

export const allBatches: readonly Batch[] = [
  ...applications,
  ...addons,
  ...kinds,
  ...routes,
  ...traffic,
];
