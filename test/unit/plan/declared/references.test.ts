import { expect, test } from "vitest";
import { stringify } from "yaml";
import {
  assemblePieces,
  selectReferences,
  writtenText,
} from "../../../../src/model/plan/apply-time-reference.ts";
import { resolveReferences } from "../../../../src/plan/declared/references.ts";
import { manifestsFrom, shown, text } from "../../../support/plan/declare.ts";

/** Compares the data of the resource `app/it` with resolved references. */
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

test("a value that is only a reference keeps its type, and a reference within text becomes text", () => {
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

test("a number becomes a string if Kubernetes accepts only strings", () => {
  const port = '"$(ref.web.spec.ports[1].port)"';
  const references = (place: string) =>
    `${others}app/it: {apiVersion: v1, ${place}, dependsOn: [web]}`;
  check(
    references(
      `kind: ConfigMap, metadata: {labels: {port: ${port}}}, data: {port: ${port}}, other: {port: ${port}}`,
    ),
    `
    apiVersion: v1
    kind: ConfigMap
    metadata:
      labels:
        port: "443"
    data:
      port: "443"
    other:
      port: 443
    `,
  );
  check(
    references(
      `kind: Pod, spec: {containers: [{args: [${port}], env: [{name: PORT, value: ${port}}], ports: [{containerPort: ${port}}]}]}`,
    ),
    `
    apiVersion: v1
    kind: Pod
    spec:
      containers:
        - args:
            - "443"
          env:
            - name: PORT
              value: "443"
          ports:
            - containerPort: 443
    `,
  );
});

function onAny<T extends object>(piece: string | T): string | (T & { readonly on: string }) {
  return typeof piece === "string" ? piece : { ...piece, on: "any" };
}

test("a value known after deploy becomes a string if Kubernetes accepts only strings", () => {
  const yaml = `${others}app/it: {apiVersion: v1, kind: ConfigMap, data: {n: "$(ref.web.status.replicas)"}, more: {n: "$(ref.web.status.replicas)"}, dependsOn: [web]}`;
  const resolved = resolveReferences(manifestsFrom(yaml));
  const it = resolved.ok ? resolved.value.find(({ id }) => id === "it") : undefined;
  const values = it?.references.map((late) =>
    assemblePieces({ base64: false, pieces: late.pieces.map(onAny) }, () => 3),
  );
  expect(values).toEqual(["3", 3]);
  expect(it?.references.map(({ pieces }) => writtenText(pieces))).toEqual([
    "$(ref.web.status.replicas)",
    "$(ref.web.status.replicas)",
  ]);
});

test("keys with dots, ids with dots and chained references are resolved", () => {
  check(
    `${others}app/it: {pulumi: true, a: '$(ref.web.metadata.labels["a.b/c"])', b: "$(ref.group/web.old.metadata.name)", c: "\${web.spec.name}", dependsOn: [web, group/web.old]}`,
    `
    a: label
    b: old
    c: shop-web
    `,
  );
});

test("text that resembles a reference stays unchanged", () => {
  check(
    `${others}app/it: {a: "echo \${HOME} \${web_port} $\${web.metadata.name} $(date)", dependsOn: [web]}`,
    `a: echo $\{HOME} $\{web_port} $$\{web.metadata.name} $(date)`,
  );
});

test("nested lists of references end with an error instead of growing without limit", {
  tags: "slow",
}, () => {
  const list = (id: number) => `[${`"$(ref.l${id}.x)",`.repeat(30)}]`;
  const levels = [1, 2, 3, 4, 5, 6].map(
    (id) => `app/l${id}: {x: ${list(id + 1)}, dependsOn: [l${id + 1}]}`,
  );
  const resolved = resolveReferences(manifestsFrom(`${levels.join("\n")}\napp/l7: {x: [end]}\n`));
  expect(resolved.ok).toBe(false);
});

test("each reference without a value and each circular reference is an error", () => {
  check(
    `
    app/it: {pulumi: true, a: "$(ref.web.spec[*])", b: "$(ref.gone.metadata.name)", c: "x \${web.spec.ports} y", d: "\${web}", e: "$(ref.loop.a)", dependsOn: [web, loop]}
    app/loop: {a: "$(ref.loop.a)", b: "$(ref.loop.status.b)", dependsOn: [loop]}
    ${others.trim().split("\n").join("\n    ")}
    `,
    [
      "$(ref.gone.metadata.name)",
      "$(ref.loop.a)",
      "$(ref.web.spec[*])",
      `$\{web.spec.ports}`,
      `$\{web}`,
    ]
      .map((reference) => problem("it", reference))
      .concat(problem("loop", "$(ref.loop.a)"), problem("loop", "$(ref.loop.status.b)"))
      .join("\n"),
  );
});

test("Pulumi resources escape a dollar with two, and every reference must have a target", () => {
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

test("a function of Pulumi is an error, because only Pulumi can call it", () => {
  check(
    `${others}app/it: {pulumi: true, a: {"fn::invoke": {function: "x:y:z"}}}`,
    `
    Resource app/it calls fn::invoke
      why: Only Pulumi can compute this function
      → Write the value itself
        or pass the value as a parameter
    `,
  );
});

test("a reference within a group prefers an id of the group to an outer one", () => {
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
  return `Resource app/${id} refers to ${reference}, which isn't declared
  why: No Kubernetes resource of this deployment declares it. Values of other providers aren't supported yet
  → Refer to a field of a Kubernetes resource
    or pass the value as a parameter`;
}

/** Returns the unresolved references of the resource `app/it`, with the source of each. */
function left(yaml: string): string {
  return shown(resolveReferences(manifestsFrom(yaml)), (manifests) =>
    (manifests.find(({ id }) => id === "it")?.references ?? [])
      .flatMap(({ pieces }) => [
        writtenText(pieces),
        ...selectReferences(pieces).map(
          ({ stage, resource, path, declared, secret }) =>
            `  ${stage}/${resource} ${JSON.stringify(path)}${declared === undefined ? "" : " declared"}${secret ? " secret" : ""}`,
        ),
      ])
      .join("\n"),
  );
}

test.each([
  [
    "an undeclared field of the other resource",
    'a: "$(ref.web.spec.clusterIP)"',
    `
    $(ref.web.spec.clusterIP)
      app/web ["spec","clusterIP"]
    `,
  ],
  [
    "a status, even if an adapter writes one, as part of a text with declared values",
    'a: ["http://$(ref.web.status.ip):$(ref.web.spec.ports[0].port)/"]',
    `
    http://$(ref.web.status.ip):$(ref.web.spec.ports[0].port)/
      app/web ["status","ip"]
      app/web ["spec","ports",0,"port"] declared
    `,
  ],
  [
    "by the rules of Pulumi, with two dollars as one",
    `pulumi: true, a: '$$$\{web.status["x.y"].ips[2]}'`,
    `
    $$(ref.web.status["x.y"].ips[2])
      app/web ["status","x.y","ips",2]
    `,
  ],
  [
    "a reference in a declared field, read from that field",
    'a: "$(ref.relay.data.ip)"',
    `
    $(ref.relay.data.ip)
      app/relay ["data","ip"]
    `,
  ],
  [
    "a Secret's value, even if it is declared, and the value of a resource that contains it",
    'a: "$(ref.login.stringData.password)", b: "$(ref.relay.data.url)", c: "$(ref.login.metadata.name)"',
    `
    $(ref.login.stringData.password)
      app/login ["stringData","password"] declared secret
    $(ref.relay.data.url)
      app/relay ["data","url"] secret
    `,
  ],
  [
    "a Secret's data in any form: declared if it contains no reference",
    'a: "$(ref.login.data.password)", b: "$(ref.bytes.stringData.a)", c: "$(ref.bytes.data.b)", d: "$(ref.bytes.stringData.x)"',
    `
    $(ref.login.data.password)
      app/login ["data","password"] declared secret
    $(ref.bytes.stringData.a)
      app/bytes ["stringData","a"] declared secret
    $(ref.bytes.data.b)
      app/bytes ["data","b"] secret
    $(ref.bytes.stringData.x)
      app/bytes ["stringData","x"] secret
    `,
  ],
  [
    "every field of an object with a referenced kind, as it might be a Secret",
    'a: "$(ref.odd.data.password)"',
    `
    $(ref.odd.data.password)
      app/odd ["data","password"] secret
    `,
  ],
])("qvs resolves at apply time: %s", (_name, fields, expected) => {
  const yaml = `${others}
app/login: {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: hunter2}}
app/relay: {kind: ConfigMap, data: {ip: "$(ref.web.status.ip)", url: "x:$(ref.login.stringData.password)"}, dependsOn: [login, web]}
app/bytes: {apiVersion: v1, kind: Secret, metadata: {name: bytes}, data: {a: YQ==, x: gA==}, stringData: {b: "$(ref.web.status.ip)"}, dependsOn: [web]}
app/odd: {kind: "$(ref.relay.kind)", metadata: {name: odd}, dependsOn: [relay]}
app/it: {${fields}, dependsOn: [login, relay, web, bytes, odd]}`;
  expect(left(yaml)).toBe(text(expected));
});

test("a reference within a group that is resolved at apply time includes the group", () => {
  const yaml = `
app/web: {metadata: {name: outside}}
app/g/web: {metadata: {name: inside}}
app/g/h/it: {a: "$(ref.web.status.ip)", dependsOn: [g/web]}`;
  expect(
    shown(resolveReferences(manifestsFrom(yaml)), (all) =>
      (all.at(-1)?.references ?? []).map(({ pieces }) => writtenText(pieces)).join("\n"),
    ),
  ).toBe("$(ref.g/web.status.ip)");
});

test("names and annotations for qvs can't be resolved at apply time", () => {
  const yaml = `${others}
app/it: {metadata: {name: "$(ref.web.status.name)", annotations: {vs.axis-dev.io/dependsOn: "x-$(ref.web.status.ip)", note: "$(ref.web.status.ip)"}}, dependsOn: [web]}`;
  const rest = [
    "  why: The value is a Secret's value or known after deploy, and qvs needs the field to deploy the object",
    "  → Write the value itself",
    "    or pass the value as a parameter",
  ];
  expect(left(yaml)).toBe(
    [
      "Resource app/it: metadata.name isn't known before the deployment",
      "  manifest: $(ref.web.status.name)",
      ...rest,
      "Resource app/it: metadata.annotations.vs.axis-dev.io/dependsOn isn't known before the deployment",
      "  manifest: x-$(ref.web.status.ip)",
      ...rest,
    ].join("\n"),
  );
});

test("text that a release recorded without references stays text", () => {
  const manifests = manifestsFrom('app/it: {a: "$(ref.web.status.ip)"}');
  const settled = manifests.map((manifest) => ({ ...manifest, isLiteral: true as const }));
  expect(shown(resolveReferences(settled), ([it]) => JSON.stringify(it?.object))).toBe(
    '{"a":"$(ref.web.status.ip)"}',
  );
});

test("an escaped reference is text, even if another resource refers to it", () => {
  check(
    `
    app/it: {a: "$$(ref.gone.x)", b: "$$$(ref.gone.x) $(ref.other.b)", c: "$(ref.other.a)", d: "$$(date) $$\{HOME}", dependsOn: [other]}
    app/other: {a: "x $$(ref.gone.x)", b: y}
    `,
    `
    a: $(ref.gone.x)
    b: $$(ref.gone.x) y
    c: x $(ref.gone.x)
    d: $$(date) $$\{HOME}
    `,
  );
});

test("an escaped reference next to an apply-time reference is recorded as written", () => {
  const resolved = resolveReferences(
    manifestsFrom(`
      app/it: {a: "$$(ref.gone.x) $(ref.other.status.b)", dependsOn: [other]}
      app/other: {a: y}
    `),
  );
  const texts = shown(resolved, ([it]) =>
    (it?.references ?? []).map(({ pieces }) => writtenText(pieces)).join("\n"),
  );
  expect(texts).toBe("$$(ref.gone.x) $(ref.other.status.b)");
});
