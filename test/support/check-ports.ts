import { createHash } from "node:crypto";
import type { ApplyContext } from "../../src/apply/run.ts";

/** The ports for checks, in runs whose checks request no address. */
export const checkPorts: Pick<ApplyContext, "probe" | "hash"> = {
  probe: {
    get: async (url) => {
      throw new Error(`unexpected request to ${url}`);
    },
  },
  hash: (text) => createHash("sha256").update(text).digest("hex"),
};
