import { afterAll, expect, test } from "vitest";
import { startCompiler } from "../../support/cue/native.ts";
import { chartRelease, flatChart, openAdapterPlace } from "../../support/qvs/adapter-place.ts";

const compiler = startCompiler();
afterAll(() => compiler.close());

const openPlace = (adapter: string) => openAdapterPlace(compiler, adapter);
const [flat, release] = [flatChart, chartRelease];

test("a chart of an adapter is locked and rendered", async () => {
  const place = await openPlace(flat);
  expect(await place.qvs("lock")).toBe(`0
Wrote .valuestream/qvs.lock
  + web of http://HOST 1.0.0: DIGEST_OF_1.0.0
`);
  expect(await place.qvs("lock", "--check")).toBe("0\n.valuestream/qvs.lock is up to date\n");
  place.registry.seen.splice(0);
  const compiled = await place.qvs("compile");
  expect(compiled).toContain(`---
# app/configmap/shop/main
apiVersion: v1
kind: ConfigMap
metadata:
  name: main
  namespace: shop
  annotations:
`);
  expect(compiled).toContain("color: blue");
  expect(compiled).not.toContain("kubernetes-helm");
  expect(place.registry.seen).toEqual([]);
});

test("a chart that isn't locked is shown and blocks the deployment", async () => {
  const place = await openPlace(flat);
  const compiled = await place.qvs("compile");
  expect(compiled).toMatch(/^0\n---\n# app\/web \(kubernetes-helm, not applied\)/);
  expect(
    compiled,
  ).toContain(`warning[lock-file-outdated]: Chart web of http://HOST at "1.0.0" isn't locked
  --> adapters/web/main.cue:2:32
  resource: app/web
  help: Run \`qvs lock\` and commit .valuestream/qvs.lock
`);
  expect(place.registry.seen).toEqual([]);
});

test("`qvs outdated` lists charts of adapters", async () => {
  const place = await openPlace(flat);
  await place.qvs("lock");
  expect(await place.qvs("outdated")).toBe(
    `0
web of http://HOST: 1.0.0 → 1.1.0
  --> .valuestream/qvs.lock:5:5
`.replace(":5:5", ":5"),
  );
});

test("a change of the lockfile changes the deployment", async () => {
  const place = await openPlace(flat);
  await place.qvs("lock");
  const base = place.app.commit();
  expect(await place.qvs("changed", "--base", base)).not.toContain("shop");
  place.app.commit({ ".valuestream/qvs.lock": `${place.rawLock}# moved\n` });
  expect(await place.qvs("changed", "--base", base)).toContain("shop");
});

test("a release of Pulumi takes values of other resources and is ordered with them", async () => {
  const place = await openPlace(release);
  await place.qvs("lock");
  const compiled = await place.qvs("compile");
  expect(compiled).toContain("color: in web");
  // Without allowNullValues, Pulumi removes null.
  expect(compiled).toContain('size: "1"');
  expect([...compiled.matchAll(/^# (\S+)/gm)].map(([, id]) => id)).toEqual([
    "app/ns",
    "app/job/web/main-first",
    "app/configmap/web/main",
    "app/secret/web/main-login",
    "app/after",
  ]);
});

test("an adapter adds fields to an object of a chart by its id", async () => {
  const place = await openPlace(`{
	${flat}
	resources: app: "secret/main-login": metadata: annotations: "vs.axis-dev.io/ignore-changes": "data.password"
}`);
  await place.qvs("lock");
  const compiled = await place.qvs("compile");
  expect(compiled).toContain("vs.axis-dev.io/ignore-changes: data.password");
  expect(compiled).not.toContain("error");
});

test("the objects of a chart in a group have ids of the group", async () => {
  const place = await openPlace("");
  place.adapter(`{composites: [{pattern: #Inner, group: "cache"}]}\n#Inner: {${flat}}`);
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain("# app/cache/configmap/shop/main\n");
});

test("a parameter without a value gets a placeholder in `qvs lock`", async () => {
  const place = await openPlace(`{
	parameters: {tag: =~"^[0-9.]+$", size: int}
	${flat.replace('color: "blue"', "color: parameters.tag, values: size: parameters.size")}
}`);
  place.config(
    "[{name: tag, type: string}, {name: size, type: int}]",
    "{tag: $(params.tag), size: $(params.size)}",
  );
  expect(await place.qvs("lock")).toContain("+ web of http://HOST 1.0.0");
  const compiled = await place.qvs("compile", "--param", "tag=7.5", "--param", "size=3");
  expect(compiled).toContain('color: "7.5"');
});

test("a deployment that doesn't compile keeps the entries of its charts", async () => {
  const place = await openPlace(flat);
  await place.qvs("lock");
  const before = place.lock;
  place.adapter(`{${flat}, resources: app: web: chart: 7}`);
  const locked = await place.qvs("lock");
  expect(locked).toContain(
    "warning[charts-unknown]: The charts of adapters in deployment shop aren't known",
  );
  expect(place.lock).toBe(before);
});

test("properties that qvs can't honor block the deployment, and others are named", async () => {
  const place = await openPlace(
    flat.replace("values:", 'skipAwait: true, valueYamlFiles: ["a.yaml"], maxHistry: 3\nvalues:'),
  );
  await place.qvs("lock");
  const compiled = await place.qvs("compile");
  expect(compiled).toContain("# app/web (kubernetes-helm, not applied)");
  expect(
    compiled,
  ).toContain(`warning[unsupported-chart-property]: Resource app/web: valueYamlFiles isn't supported
  --> adapters/web/main.cue:2:32
  why: qvs reads no files for an adapter
  help: Write the values in values, or read the file there with @embed
`);
  expect(compiled).toContain('Did you mean "maxHistory"?');
});

test("properties without effect are named", async () => {
  const place = await openPlace(flat.replace("values:", "skipAwait: true\nvalues:"));
  await place.qvs("lock");
  const compiled = await place.qvs("compile");
  expect(compiled).toContain("# app/configmap/shop/main\n");
  expect(compiled).toContain("warning[chart-properties-ignored]");
});

test("an error of a template doesn't show a value from the command line", async () => {
  const place = await openPlace(`{
	parameters: key: string
	${flat.replace('color: "blue"', '{password: parameters.key, message: "no \\(parameters.key)"}')}
}`);
  place.config("[{name: dbPassword, type: string}]", "{key: $(params.dbPassword)}");
  await place.qvs("lock");
  const compiled = await place.qvs("compile", "--param", "dbPassword=hunter2-secret");
  expect(compiled).toContain('Chart "web" can\'t be rendered');
  expect(compiled).toContain("resource: app/web");
  expect(compiled).not.toContain("hunter2-secret");
});

test("a reference to a field of a chart is an error", async () => {
  const place = await openPlace(
    release.replace('name: "after"', 'name: "after", labels: a: "${web.name}"'),
  );
  await place.qvs("lock");
  expect(await place.qvs("compile")).toContain(
    "error[reference-not-found]: Resource app/after refers to ${web.name}, which is a chart\n",
  );
});

test("a deployment has a limited number of charts", async () => {
  const place = await openPlace(
    `resources: app: {for i, _ in 51*[0] {"web\\(i)": {provider: "kubernetes-helm", chart: "web"}}}`,
  );
  expect(await place.qvs("compile")).toContain(
    "error[input-too-large]: The adapters of the deployment declare 51 charts",
  );
});
