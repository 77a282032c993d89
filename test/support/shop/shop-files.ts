import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf } from "../blocks.ts";

type ShopFile =
  | ".valuestream/qvs.yaml"
  | "params.yaml"
  | "adapters/cue.mod/module.cue"
  | "adapters/web/main.cue";

/** A small application without an error. Every case of the gallery breaks one part of it. */
export const shopFiles = Object.fromEntries(
  blocksOf(readFileSync(join(import.meta.dirname, "../../gallery/shop.md"), "utf8")).map(
    ({ info: [, file = ""], text }) => [file, text],
  ),
) as Readonly<Record<ShopFile, string>>;

/** The arguments that compile it. */
export const compile = ["compile", "--params", "params.yaml"] as const;
