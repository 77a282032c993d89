import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { runGo } from "../test/support/cluster/go.ts";
import { type OpenApi, storedKinds } from "./stored-kinds.ts";

/**
 * Writes src/io/builtin-kinds/packed.ts: the fields of all kinds of the Kubernetes version in
 * test/support/cluster/control-plane/go.mod. The source is the OpenAPI documents of that Go module.
 * A system test compares the result with the control plane's own documents.
 */
const target = "src/io/builtin-kinds/packed.ts";
const controlPlane = join(import.meta.dirname, "../test/support/cluster/control-plane");

const listed = await runGo(
  controlPlane,
  ["list", "-m", "-f", "{{.Version}} {{.Dir}}", "k8s.io/kubernetes"],
  {},
);
const [version = "", directory = ""] = listed.trim().split(" ");
const folder = join(directory, "api/openapi-spec/v3");
const documents = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as OpenApi);
const minor = version.replace(/^v(\d+\.\d+)\..*$/, "$1");
const kinds = storedKinds(minor, documents);
const text = JSON.stringify(kinds);
const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
const packed = brotliCompressSync(text, { params });
writeFileSync(
  target,
  `/** Written by scripts/builtin-kinds.ts: JSON, compressed with Brotli, in Base64. */\nexport const packedKinds =\n  "${packed.toString("base64")}";\n`,
);
console.log(
  `${target}: ${Object.keys(kinds.kinds).length} kinds and ${kinds.types.length} types of Kubernetes ${minor}, ${packed.length} bytes`,
);
