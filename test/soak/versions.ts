import { type JsonObject, objectAt } from "../../src/model/json.ts";
import type { KubeObject } from "../../src/model/object.ts";
import { webManifests } from "../support/node/web-manifests.ts";
import type { Chance } from "./chance.ts";

/** One version of the application that the soak deploys. */
export interface Version {
  readonly image: string;
  /** The content of the ConfigMap whose name has a hash, and the answer to requests. */
  readonly greeting: string;
  /** Part of the names of a ConfigMap and a Service: another value renames both. */
  readonly name: string;
  /** The content of these two. */
  readonly port: number;
  /** The numbers of the optional ConfigMaps that this version declares. */
  readonly extras: readonly number[];
  /** The reason why the rollout fails. Undefined for a good version. */
  readonly defect?: "image" | "crash";
}

export const images = ["registry.example/web:1.0.0", "registry.example/web:1.1.0"] as const;

export const firstVersion: Version = {
  image: images[0],
  greeting: "first",
  name: "first",
  port: 8000,
  extras: [1, 2],
};

/** Returns a version with one to three random changes. `number` makes its values new. */
export function nextVersion(before: Version, number: number, chance: Chance): Version {
  const { defect: _, ...good } = before;
  let next: Version = good;
  for (let count = chance.between(1, 3); count > 0; count -= 1)
    next = { ...next, ...changeOf(next, number, chance) };
  return next;
}

/** Returns a version whose Pods never become ready. */
export function badVersion(before: Version, number: number, chance: Chance): Version {
  const next = nextVersion(before, number, chance);
  return chance.happens(50)
    ? { ...next, image: "does-not-exist.example/web:1", defect: "image" }
    : { ...next, greeting: `bad ${number}`, defect: "crash" };
}

function changeOf(before: Version, number: number, chance: Chance): Partial<Version> {
  switch (chance.below(5)) {
    case 0:
      return { image: before.image === images[0] ? images[1] : images[0] };
    case 1:
      return { greeting: `greeting ${number}` };
    case 2:
      return { name: `n${number}` };
    case 3:
      return { port: 8000 + (number % 1000) };
    default:
      return { extras: toggled(before.extras, chance.between(1, 4)) };
  }
}

function toggled(extras: readonly number[], one: number): readonly number[] {
  return extras.includes(one) ? extras.filter((other) => other !== one) : [...extras, one];
}

/** Returns the declared objects, with their namespace. */
export function objectsOf(version: Version, namespace: string): readonly KubeObject[] {
  const { image, greeting, defect } = version;
  const environment = defect === "crash" ? { CRASH: "the settings are wrong" } : {};
  const web = webManifests({ image, greeting, environment });
  if (defect === "crash") simulateCrash(web["deployment"] as JsonObject);
  const all = [...Object.values(web), ...renamed(version), ...version.extras.map(extra), login];
  return all.map((object) => inNamespace(object as JsonObject, namespace));
}

/** Lets simulated nodes do what the variable `CRASH` does on a real one. */
function simulateCrash(deployment: JsonObject): void {
  const metadata = objectAt(deployment, "spec", "template", "metadata");
  Object.assign(metadata, { annotations: { "test.qvs/behaviour": "crash-loop" } });
}

const login = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "login" },
  data: { password: Buffer.from("the same in all versions").toString("base64") },
};

function renamed({ name, port }: Version): readonly object[] {
  return [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: `notes-${name}` },
      data: { port: `${port}` },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `api-${name}` },
      spec: { selector: { app: "web" }, ports: [{ port, targetPort: 8080 }] },
    },
  ];
}

function extra(number: number): object {
  const metadata = { name: `extra-${number}` };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { number: `${number}` } };
}

function inNamespace(object: JsonObject, namespace: string): KubeObject {
  const metadata = { ...(object["metadata"] as JsonObject), namespace };
  return { ...object, metadata } as unknown as KubeObject;
}
