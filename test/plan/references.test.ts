import { expect, test } from "vitest";
import { stringify } from "yaml";
import { resolveReferences } from "../../src/plan/references.ts";
import { manifestsFrom, shown, text } from "./declare.ts";

/** The data of the resource `app/it` after everything was resolved. */
function check(yaml: string, expected: string): void {
  const resolved = resolveReferences(manifestsFrom(yaml));
  const data = shown(resolved, (manifests) =>
    stringify(manifests.find(({ id }) => id === "it")?.object).trimEnd(),
  );
  expect(data).toBe(text(expected));
}

const others = `
appSetup/ns: {metadata: {name: shop}}
app/web: {metadata: {name: web, labels: {a.b/c: label}}, spec: {ports: [{port: 80}, {port: 443}], name: "$(ref.ns.metadata.name)-web"}, status: {ip: 10.0.0.1}, dependsOn: [ns]}
app/group/web.old: {metadata: {name: old}}
`;

test("a reference that stands alone keeps the type, one in text becomes text", () => {
  check(
    `${others}app/it: {pulumi: true, a: "$(ref.web.spec.ports[1].port)", b: "http://$(ref.web.metadata.name):$(ref.web.spec.ports[0].port)/", c: ["\${web.spec.ports}"], dependsOn: [web]}`,
    `
    a: 443
    b: http://web:80/
    c:
      - - port: 80
        - port: 443
    `,
  );
});

test("keys with dots, ids with dots and chains of references are followed", () => {
  check(
    `${others}app/it: {pulumi: true, a: '$(ref.web.metadata.labels["a.b/c"])', b: "$(ref.group/web.old.metadata.name)", c: "\${web.spec.name}", dependsOn: [web, group/web.old]}`,
    `
    a: label
    b: old
    c: shop-web
    `,
  );
});

test("text that only looks like a reference stays", () => {
  check(
    `${others}app/it: {a: "echo \${HOME} \${web_port} $\${web.metadata.name} $(date)", dependsOn: [web]}`,
    `a: echo $\{HOME} $\{web_port} $$\{web.metadata.name} $(date)`,
  );
});

test("lists of references to lists of references come to an end", () => {
  const list = (id: number) => `[${`"$(ref.l${id}.x)",`.repeat(30)}]`;
  const levels = [1, 2, 3, 4, 5, 6].map(
    (id) => `app/l${id}: {x: ${list(id + 1)}, dependsOn: [l${id + 1}]}`,
  );
  const resolved = resolveReferences(manifestsFrom(`${levels.join("\n")}\napp/l7: {x: [end]}\n`));
  expect(resolved.ok).toBe(false);
});

test("what nobody declares is a problem for each reference, and so is a circle", () => {
  check(
    `
    app/it: {pulumi: true, a: "$(ref.web.status.ip)", b: "$(ref.gone.metadata.name)", c: "x \${web.spec.ports} y", d: "\${web}", e: "$(ref.loop.a)", dependsOn: [web, loop]}
    app/loop: {a: "$(ref.loop.a)", dependsOn: [loop]}
    ${others.trim().split("\n").join("\n    ")}
    `,
    [
      "$(ref.gone.metadata.name)",
      "$(ref.loop.a)",
      "$(ref.web.status.ip)",
      `$\{web.spec.ports}`,
      `$\{web}`,
    ]
      .map((reference) => problem("it", reference))
      .concat(problem("loop", "$(ref.loop.a)"))
      .join("\n"),
  );
});

test("in Pulumi's resources two dollars are one, and every other reference must lead somewhere", () => {
  check(
    `${others}app/it: {pulumi: true, a: "$\${HOME} and $$5", b: "\${HOME}", dependsOn: [HOME]}`,
    problem("it", `$\{HOME}`),
  );
  check(
    `${others}app/it: {pulumi: true, a: "$\${HOME} $$\${web.metadata.name}", b: "$$(ref.x)", dependsOn: [web]}`,
    `
    a: $\{HOME} $web
    b: $(ref.x)
    `,
  );
});

test("a function of Pulumi is a problem, because nobody else can call it", () => {
  check(
    `${others}app/it: {pulumi: true, a: {"fn::invoke": {function: "x:y:z"}}}`,
    `
    Resource app/it calls fn::invoke, which only Pulumi can do
      → Write the value itself, or give it by a parameter
    `,
  );
});

test("within a group the ids of that group come first, then those around it", () => {
  const resolved = resolveReferences(
    manifestsFrom(`
app/web: {metadata: {name: outside}}
app/db: {metadata: {name: db}}
app/g/web: {metadata: {name: inside}}
app/g/h/it: {a: "$(ref.web.metadata.name) $(ref.db.metadata.name)", dependsOn: [db, g/web]}`),
  );
  expect(shown(resolved, (all) => JSON.stringify(all.at(-1)?.object))).toBe('{"a":"inside db"}');
});

function problem(id: string, reference: string): string {
  return `Resource app/${id} refers to ${reference}, which no Kubernetes resource of this deployment declares
  → Refer to a field that the other resource declares, or give the value by a parameter: values that only the cluster or another provider makes aren't supported yet`;
}
