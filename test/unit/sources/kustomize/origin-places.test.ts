import { expect, test } from "vitest";
import { readRendered } from "../../../../src/config/inputs/read-objects.ts";
import type { YamlNode } from "../../../../src/model/sources/yaml-node.ts";
import type { DocumentOrigins, OriginSource } from "../../../../src/ports/render.ts";
import { basePlace, placeDocuments } from "../../../../src/sources/kustomize/origin-places.ts";

const otherwise = { file: "overlay/kustomization.yaml", line: 1, column: 1 };
const web = `kind: ConfigMap
apiVersion: v1
metadata:
  name: web
data:
  a: b
  list: c
`;

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly rendered?: string;
  readonly source?: OriginSource;
  readonly path?: readonly string[];
  readonly documents?: number;
}

/** Returns the place of the object, and of the field `data.a` or another one. */
function places({ files, rendered = web, source, path = ["data", "a"], documents = 1 }: Case) {
  const fields = source === undefined ? [] : [{ path, by: 0 }];
  const declared = { root: 0, path: "base/web.yaml" };
  const origin = { declared, kind: "ConfigMap", name: "web", fields };
  const origins: DocumentOrigins = {
    sources: source === undefined ? [] : [source],
    documents: new Array(documents).fill(origin),
  };
  const all = { "base/web.yaml": web, ...files };
  const root = (display: string) => ({
    display,
    has: (name: string) => Object.hasOwn(all, name),
    text: (name: string) => new Map(Object.entries(all)).get(name),
  });
  const roots = [root(""), root("git.example/acme/bases@v1/")];
  const read = readRendered(
    otherwise,
    rendered,
    undefined,
    placeDocuments(origins, roots, otherwise),
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const [object] = read.value;
  if (object === undefined) return "no object";
  const field = path.reduce<YamlNode | undefined>(
    (node, step) =>
      node?.kind === "map"
        ? node.entries.find(({ name }) => name === step)?.value
        : node?.kind === "list"
          ? node.items[Number(step)]
          : undefined,
    object,
  );
  const shown = [object.where, field?.where].map((each) => `${each?.file}:${each?.line}`);
  return shown.join(" ");
}

const inKustomization = (field: string) => ({ root: 0, path: "overlay", field });
const kustomized = (text: string) => ({ "overlay/kustomization.yml": text });

test.each<[string, Case, string]>([
  ["a field of a base", { files: {} }, "base/web.yaml:1 base/web.yaml:6"],
  [
    "a second document",
    { files: { "base/web.yaml": `kind: Service\nmetadata: {name: web}\n---\n${web}` } },
    "base/web.yaml:4 base/web.yaml:9",
  ],
  [
    "an item of a List",
    { files: { "base/web.yaml": `kind: List\nitems:\n- ${web.replaceAll("\n", "\n  ")}` } },
    "base/web.yaml:3 base/web.yaml:8",
  ],
  [
    "two objects with the same name",
    { files: { "base/web.yaml": `${web}---\n${web}` } },
    "base/web.yaml:1 base/web.yaml:1",
  ],
  [
    "a file that isn't YAML",
    { files: { "base/web.yaml": "a: [" } },
    "base/web.yaml:1 base/web.yaml:1",
  ],
  [
    "a field that a patch adds within another one",
    { files: { "p.yaml": "\ndata:\n  x: y\n" }, source: { root: 0, path: "p.yaml" } },
    "base/web.yaml:1 p.yaml:2",
  ],
  [
    "a patch of another name",
    { files: { "p.yaml": "\ndata:\n  a: y\n" }, source: { root: 0, path: "p.yaml" } },
    "base/web.yaml:1 p.yaml:3",
  ],
  [
    "a patch of a remote base",
    { files: { "p.yaml": "\ndata:\n  a: y\n" }, source: { root: 1, path: "p.yaml" } },
    "base/web.yaml:1 git.example/acme/bases@v1/p.yaml:3",
  ],
  [
    "the last operation of a JSON patch that writes the field",
    {
      files: {
        "p.json":
          '[{"path": "/data"},\n{"path": "/data/a"},\n{"path": "/data/a~1b"},\n{"path": "/data/b"}]',
      },
      source: { root: 0, path: "p.json" },
    },
    "base/web.yaml:1 p.json:2",
  ],
  [
    "an image of several",
    {
      files: kustomized(
        "images:\n- {name: x, newTag: '1'}\n- name: web\n  newName: other/web\n  newTag: '2'\n",
      ),
      rendered: web.replace("a: b", "a: other/web:2"),
      source: inKustomization("images"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:5",
  ],
  [
    "one of two equal images",
    {
      files: kustomized("images:\n- {name: web, newTag: '1'}\n- {name: web, newTag: '2'}\n"),
      rendered: web.replace("a: b", "a: web:2"),
      source: inKustomization("images"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:1",
  ],
  [
    "a label of several",
    {
      files: kustomized("commonLabels:\n  c: d\nlabels:\n- pairs:\n    x: y\n- pairs:\n    a: b\n"),
      source: inKustomization("labels"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:7",
  ],
  [
    "the replicas of an object",
    {
      files: kustomized("replicas:\n- {name: x, count: 1}\n- name: web\n  count: 2\n"),
      source: inKustomization("replicas"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:4",
  ],
  [
    "one of several patches within the kustomization",
    {
      files: kustomized("\npatches:\n- patch: a\n- patch: b\n"),
      source: inKustomization("patches"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:2",
  ],
  [
    "the only patch within the kustomization that can select the object",
    {
      files: kustomized(`patches:
- path: web.yaml
- {patch: a, target: {name: other}}
- {patch: a, target: {kind: Service}}
- patch: b
  target: {kind: ConfigMap, name: web}
`),
      source: inKustomization("patches"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:5",
  ],
  [
    "one of several patches that can select the object",
    {
      files: kustomized(
        "patches:\n- {patch: a, target: {name: x-web}}\n- {patch: b, target: {name: web}}\n",
      ),
      source: inKustomization("patches"),
    },
    "base/web.yaml:1 overlay/kustomization.yml:1",
  ],
  [
    "the only patch within the kustomization",
    { files: kustomized("\npatches:\n- patch: a\n"), source: inKustomization("patches") },
    "base/web.yaml:1 overlay/kustomization.yml:3",
  ],
  [
    "a directory without a kustomization",
    { files: {}, source: inKustomization("patches") },
    "base/web.yaml:1 overlay/kustomization.yaml:1",
  ],
  [
    "an unknown root",
    { files: {}, source: { root: 2, path: "p.yaml" } },
    "base/web.yaml:1 overlay/kustomization.yaml:1",
  ],
  [
    "another number of documents",
    { files: {}, documents: 2 },
    "overlay/kustomization.yaml:1 overlay/kustomization.yaml:1",
  ],
  [
    "a list item by its name",
    {
      files: { "p.yaml": "data:\n  list:\n  - name: y\n    v: 1\n  - name: x\n    v: 2\n" },
      rendered: web.replace("list: c", "list: [{name: x, v: 2}, {name: y, v: 1}]"),
      source: { root: 0, path: "p.yaml" },
      path: ["data", "list", "0", "v"],
    },
    "base/web.yaml:1 p.yaml:6",
  ],
])("%s has the line that wrote it", (_, given, expected) => {
  expect(places(given)).toBe(expected);
});

test("an object of a remote base has the place of the kustomization, and one in the base", () => {
  const declared = { root: 1, path: "web.yaml" };
  const origins = {
    sources: [],
    documents: [{ declared, kind: "ConfigMap", name: "web", fields: [] }],
  };
  const root = { display: "", has: () => false, text: () => undefined };
  const base = { display: "git.example/bases@a/b/", has: () => true, text: () => web };
  const place = placeDocuments(origins, [root, base], otherwise);
  const read = readRendered(otherwise, web, undefined, place);
  const [object] = read.ok ? read.value : [];
  expect(object?.where).toEqual(otherwise);
  expect(object && basePlace(object)).toMatchObject({
    file: "git.example/bases@a/b/web.yaml",
    line: 2,
  });
});

test("lists with thousands of items don't take minutes", { tags: "slow" }, () => {
  const items = Array.from({ length: 2500 }, (_, index) => `  - {name: n${index}, v: 1}\n`).join(
    "",
  );
  const text = `${web.replace("list: c", "list:")}${items}`;
  const files = { "base/web.yaml": text };
  expect(places({ files, rendered: text })).toBe("base/web.yaml:1 base/web.yaml:6");
});
