import type { KubeObject } from "../../../../src/model/object.ts";
import { allBatches } from "../changes/all.ts";
import type { Edit } from "../edits.ts";
import type { Command } from "../perform.ts";
import type { Batch } from "../play-batch.ts";
import { oneWayChanges } from "./one-way-changes.ts";

/** A change of published manifests that is deployed alone, and then rolled back. */
export interface UndoneChange {
  readonly what: string;
  readonly edits: readonly Edit[];
  /** The flags of the deployment. */
  readonly flags?: readonly string[];
  /** Commands of another user before the change. */
  readonly meanwhile?: (namespace: string) => readonly Command[];
  /** Objects of another user that the comparison includes. */
  readonly others?: (namespace: string) => readonly KubeObject[];
}

/** Manifests in one deployment, and the changes that are made of them one after another. */
export interface RollbackGroup extends Pick<Batch, "what" | "from"> {
  readonly given: string;
  readonly changes: readonly UndoneChange[];
}

/**
 * Batches of published manifests. Leaves out changes that the API server rejects, that change
 * nothing, or that are like another one.
 */
const omittedChanges: Readonly<Record<string, readonly string[]>> = {
  "databases with volumes": [
    ...["a budget by percent", "one port fewer", "no longer published before they are ready"],
  ],
  "immutable fields of databases": [
    ...["a larger volume of a template", "no longer headless", "a duplicate name of a port"],
  ],
  "a web application with a cache": ["requests removed", "a strategy", "one more label"],
  "a blog with a volume": ["a limit of the history"],
  "Rollouts with their analysis": [],
  "addons with roles": ["a rule moved", "a multi-line string", "one argument fewer"],
  "immutable fields of addons": ["another role of a binding", "another provisioner"],
  "CustomResourceDefinitions of another version, with custom resources": [],
  "an operator with its CustomResourceDefinitions": ["an old version no longer served"],
  "snapshots with their CustomResourceDefinitions": [
    ...["a class with an unknown policy", "a class without a driver"],
  ],
  "changed routes": ["a path"],
  "changed traffic rules": [
    ...["one kind of a fault", "two ways to balance", "two ways to hash", "an unknown way"],
    ...["two kinds of one delay", "two targets of a redirect", "a weight that is text"],
    ...["an origin of two kinds", "a number that is too large"],
  ],
};

/** Objects that the manifests need. */
const given: Readonly<Record<string, string>> = {
  "a blog with a volume": `
apiVersion: v1
kind: Secret
metadata: {name: mysql-pass}
stringData: {password: "1"}
`,
};

export const rollbackGroups: readonly RollbackGroup[] = Object.entries(omittedChanges).map(
  ([name, omitted]) => {
    const batch = allBatches.find(({ what }) => what === name);
    if (batch === undefined) throw new Error(`there is no batch ${name}`);
    const accepted = batch.changes
      .filter(([what]) => !omitted.includes(what))
      .map(([what, ...edits]) => ({ what, edits }));
    const changes = [...accepted, ...(oneWayChanges[name] ?? [])];
    return { ...batch, given: given[name] ?? "", changes };
  },
);
