import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { parse } from "yaml";
import type { Manifests } from "../support/cluster/manifests-in.ts";
import type { TestCluster } from "../support/cluster/use-cluster.ts";
import type { History } from "./history.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a record that change while its deployment runs. The others are its content. */
const stateFields = ["status", "finishedAt", "inventory", "results", "revisions"];

/**
 * `forge v2 from v1 with forged.yaml` writes a copy of a record with the fields in the file. It
 * acts as the user `nobody`, who can only write Secrets in the namespace.
 */
export async function forge(
  cluster: TestCluster,
  shop: Manifests,
  history: History,
  [name = "", , source = "", , file = ""]: readonly string[],
): Promise<string> {
  const attacker = (...args: readonly string[]) =>
    cluster.kubectlAs("nobody", "-n", shop.namespace, ...args);
  const record = JSON.parse(await attacker("get", "secret", `qvs.demo.${source}`, "-o", "json"));
  const { resourceVersion: _version, uid: _uid, labels, ...metadata } = record.metadata;
  const forged: Fields = parse(readFileSync(join(shop.directory, file), "utf8"));
  const revision = Number(name.slice(1));
  const isState = ([field]: readonly [string, unknown]) => stateFields.includes(field);
  const content = Object.entries(forged).filter((entry) => !isState(entry));
  const changed = {
    ...record,
    metadata: { ...metadata, name: `qvs.demo.${name}`, labels },
    data: {
      ...record.data,
      content: packed(record.data.content, { revision, ...Object.fromEntries(content) }),
      state: packed(record.data.state, Object.fromEntries(Object.entries(forged).filter(isState))),
    },
  };
  shop.write("record.json", JSON.stringify(changed));
  const verb = name === source ? "replace" : "create";
  const output = await attacker(verb, "-f", join(shop.directory, "record.json"));
  // The record has no deployment, so it isn't reported as a release.
  await history.newReleases();
  return output;
}

function packed(text: string, fields: Fields): string {
  const before = JSON.parse(gunzipSync(Buffer.from(text, "base64")).toString("utf8"));
  return gzipSync(JSON.stringify({ ...before, ...fields })).toString("base64");
}
