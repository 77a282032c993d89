import { createHash } from "node:crypto";
import { toJson } from "../../config/read-typed.ts";
import { readRenderedYaml } from "../../config/yaml/read.ts";
import { isList, isObject, type Json, textAt } from "../../model/json.ts";
import { scalarTexts } from "../../model/plan/apply-time-reference.ts";
import type { RenderedChart } from "../../ports/render.ts";
import { createScrubber, quotedForms } from "../../redaction/scrub.ts";
import { isSensitiveObject } from "../../redaction/sensitive-object.ts";

/** The annotation with the digest. Only qvs writes it. */
export const chartDigestAnnotation = "vs.axis-dev.io/chart-digest";

type Digested = Pick<RenderedChart, "manifests" | "crds" | "hooks" | "differences">;

/**
 * Returns a digest of the objects of a chart, for the Pod templates of its hook Jobs. Everyone who
 * can read a Pod can read the digest, and compute it for guessed values. So it excludes the data of
 * Secrets, and each field that contains one of the values `hidden`. It also excludes the fields
 * that differ between two renderings, because each run would give another digest.
 */
export function chartDigest(chart: Digested, hidden: readonly Json[]): string {
  const { manifests, crds, hooks, differences = [] } = chart;
  const installed = hooks.filter(({ events }) => events.some((event) => event !== "test"));
  const rendered = [...manifests, ...installed, ...crds.map(asDocument)];
  const isHidden = hiddenTest(hidden);
  const objects = rendered.flatMap(({ template, text }) => {
    const read = readRenderedYaml(template, text);
    const documents = read.ok ? read.value.map(toJson) : [];
    return documents
      .map((document) => withoutDifferences(document, template, differences))
      .flatMap(listItems)
      .map(withoutSecretData)
      .map((object) => stableText(object, isHidden));
  });
  // The order of objects can depend on a random name.
  return createHash("sha256").update(JSON.stringify(objects.sort())).digest("hex").slice(0, 16);
}

function asDocument({ path, text }: RenderedChart["crds"][number]) {
  return { template: path, text };
}

function withoutDifferences(
  document: Json,
  template: string,
  differences: NonNullable<RenderedChart["differences"]>,
): Json {
  const kind = textAt(document, "kind") ?? "";
  const name = textAt(document, "metadata", "name") ?? "";
  return differences
    .filter((each) => each.template === template && each.kind === kind)
    .filter((each) => each.name === "" || each.name === name)
    .reduce<Json>((rest, { path }) => withoutPath(rest, path), document);
}

/** Replaces the value at a path by null, so that list items keep their indexes. */
function withoutPath(value: Json, [step, ...rest]: readonly string[]): Json {
  if (step === undefined) return null;
  if (isList(value))
    return value.map((item, index) => (String(index) === step ? withoutPath(item, rest) : item));
  if (!isObject(value)) return value;
  // One of the two renderings can lack the field.
  const fields = Object.entries(value).filter(([name]) => rest.length > 0 || name !== step);
  return Object.fromEntries(
    fields.map(([name, field]) => [name, name === step ? withoutPath(field, rest) : field]),
  );
}

/** Returns the items of a List, or the document itself. The depth of a document is limited. */
function listItems(document: Json): readonly Json[] {
  const items = isObject(document) ? document["items"] : undefined;
  const isKubeList = /List$/.test(textAt(document, "kind") ?? "");
  return isKubeList && isList(items) ? items.flatMap(listItems) : [document];
}

function withoutSecretData(object: Json): Json {
  if (!isObject(object) || !isSensitiveObject(object)) return object;
  const fields = Object.entries(object).filter(([name]) => !/^(string)?data$/i.test(name));
  return Object.fromEntries(fields);
}

/** Returns the object as JSON with sorted fields, without hidden values. */
function stableText(object: Json, isHidden: (text: string) => boolean): string {
  return JSON.stringify(object, (_, value: Json) => {
    if (isList(value) || value === null) return value;
    if (!isObject(value)) return isHidden(String(value)) ? null : value;
    const fields = Object.entries(value).filter(([name]) => !isHidden(name));
    return Object.fromEntries(fields.sort(byName));
  });
}

function byName([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function revealsSomething(text: string): boolean {
  return text !== "" && text !== "true" && text !== "false";
}

/** Returns a test for texts that contain a hidden value. A short value must be the whole text. */
function hiddenTest(hidden: readonly Json[]): (text: string) => boolean {
  const scrubber = createScrubber(hidden.flatMap(quotedForms));
  const whole = new Set(hidden.flatMap(scalarTexts).filter(revealsSomething));
  return (text) => whole.has(text) || scrubber.hide(text) !== text;
}
