import { adapter, config, type Fault } from "./fault.ts";

/** Mistakes in adapters, and in how a config uses them. */
export const faultsInAdapters: readonly Fault[] = [
  {
    name: "a parameter that is missing because its name is misspelt",
    edits: [[config, "appName: shop", "appNmae: shop"]],
    says: `
.valuestream/qvs.yaml:10:16: Parameter "appName" (string) of "shop.example/adapters/web" is missing, and "appNmae" is no parameter of it
  and adapters/web/main.cue:5:3
  → Did you mean "appName" instead of "appNmae"?

Nothing was changed.
`,
  },
  {
    name: "a parameter that is missing",
    edits: [[config, "      appName: shop\n", ""]],
    says: `
.valuestream/qvs.yaml:8:14: Parameter "appName" (string) of "shop.example/adapters/web" is missing
  and adapters/web/main.cue:5:3
  → Add "appName" to the params of this pattern

Nothing was changed.
`,
  },
  {
    name: "a part of a parameter that is missing",
    edits: [[config, "size: small", 'size: small\n      secret: {version: "3"}']],
    says: `
.valuestream/qvs.yaml:14:15: Parameter "secret.key" (string) of "shop.example/adapters/web" is missing
  → Add "secret.key" to the params of this pattern

Nothing was changed.
`,
  },
  {
    name: "a value of the wrong type",
    edits: [[config, "$(params.replicas)", "many"]],
    says: `
.valuestream/qvs.yaml:12:17: Parameter "replicas" of "shop.example/adapters/web" is "many", but must be int
  and adapters/web/main.cue:7:3
  → Change the value, or what the adapter declares

Nothing was changed.
`,
  },
  {
    name: "a value outside of its bounds",
    edits: [[config, "$(params.replicas)", "20"]],
    says: `
.valuestream/qvs.yaml:12:17: Parameter "replicas" of "shop.example/adapters/web" is 20, but must be <10
  and adapters/web/main.cue:7:3
  → Change the value, or what the adapter declares

Nothing was changed.
`,
  },
  {
    name: "a value that is none of the choices",
    edits: [[config, "size: small", "size: tiny"]],
    says: `
.valuestream/qvs.yaml:13:13: Parameter "size" of "shop.example/adapters/web" is "tiny", but must be "large" or "small"
  and adapters/web/main.cue:8:3
  → Change the value, or what the adapter declares

Nothing was changed.
`,
  },
  {
    name: "a wrong value deep inside of a parameter",
    edits: [[config, "size: small", "size: small\n      secret: {key: 7}"]],
    says: `
.valuestream/qvs.yaml:14:15: Parameter "secret.key" of "shop.example/adapters/web" is (hidden), but must be string
  and adapters/web/main.cue:9:3
  → Change the value, or what the adapter declares

Nothing was changed.
`,
  },
  {
    name: "a pattern that the module does not have",
    edits: [[config, "adapters/web\n", "adapters/wep\n"]],
    says: `
.valuestream/qvs.yaml:8:14: There is no adapter "shop.example/adapters/wep" in the modules
  → Check the path behind the module's name: it has to lead to a folder with CUE files

Nothing was changed.
`,
  },
  {
    name: "a package that the folder does not have",
    edits: [[config, "adapters/web\n", "adapters/web:frontend\n"]],
    says: `
.valuestream/qvs.yaml:8:14: There is no adapter "shop.example/adapters/web:frontend" in the modules
  → The folder holds the package web: write that behind the colon

Nothing was changed.
`,
  },
  {
    name: "a mistake in the syntax of CUE",
    edits: [[adapter, '"apps/v1"', '"apps/v1']],
    says: `
adapters/web/main.cue:13:15: The adapter "shop.example/adapters/web" cannot be loaded: string literal not terminated
  and .valuestream/qvs.yaml:8:14
  → Correct the CUE source

Nothing was changed.
`,
  },
  {
    name: "a name that CUE does not know",
    edits: [[adapter, "name: parameters.appName", "name: params.appName"]],
    says: `
adapters/web/main.cue:15:19: The adapter "shop.example/adapters/web" cannot be loaded: reference "params" not found
  and .valuestream/qvs.yaml:8:14
  → Correct the CUE source

Nothing was changed.
`,
  },
  {
    name: "a parameter that the adapter reads without declaring it",
    edits: [[adapter, "name: parameters.appName", "name: parameters.appNmae"]],
    says: `
adapters/web/main.cue:15:30: Resource app/deployment cannot be evaluated at metadata.name: undefined field: appNmae
  → Correct the adapter, or the param that this is made from

Nothing was changed.
`,
  },
  {
    name: "a field that the adapter leaves open",
    edits: [[adapter, "image: parameters.image", "image: string"]],
    says: `
adapters/web/main.cue:17:59: Resource app/deployment is not complete: spec.template.spec.containers[0].image has no value (string)
  → Give the param that it is made from, or set it in the adapter

Nothing was changed.
`,
  },
  {
    name: "a resource without a name",
    edits: [[adapter, "metadata: name: parameters.appName\n", ""]],
    says: `
adapters/web/main.cue:11:18: Resource app/deployment has no metadata.name
  → Set metadata.name in the adapter

Nothing was changed.
`,
  },
  {
    name: "two adapters that do not agree",
    edits: [
      [
        config,
        "size: small",
        "size: small\n  - pattern: shop.example/adapters/scaled\n    params: {replicas: 5}",
      ],
    ],
    says: `
.valuestream/qvs.yaml:12:17: Resource app/deployment is given two values at spec.replicas: 5 and 2
  and .valuestream/qvs.yaml:15:24
  and adapters/scaled/main.cue:5:46
  and adapters/web/main.cue:16:19
  → Make them agree: change the param that one of them comes from, or the adapter

Nothing was changed.
`,
  },
  {
    name: "objects that wait for each other",
    edits: [[config, "size: small", "size: small\n  - pattern: shop.example/adapters/circle"]],
    says: `
These objects wait for each other: core:ConfigMap::default/one waits for core:ConfigMap::default/two (annotation vs.axis-dev.io/dependsOn); core:ConfigMap::default/two waits for core:ConfigMap::default/three (annotation vs.axis-dev.io/dependsOn); core:ConfigMap::default/three waits for core:ConfigMap::default/one (annotation vs.axis-dev.io/dependsOn)
  → Remove one of these dependencies from its annotation or reference

Nothing was changed.
`,
  },
  {
    name: "several mistakes in the use of adapters, all at once",
    edits: [
      [config, "      appName: shop\n", ""],
      [config, "$(params.replicas)", "many"],
      [
        config,
        "size: small",
        "size: small\n  - pattern: shop.example/adapters/scalde\n    params: {replicas: 5}",
      ],
    ],
    says: `
.valuestream/qvs.yaml:8:14: Parameter "appName" (string) of "shop.example/adapters/web" is missing
  and adapters/web/main.cue:5:3
  → Add "appName" to the params of this pattern

.valuestream/qvs.yaml:11:17: Parameter "replicas" of "shop.example/adapters/web" is "many", but must be int
  and adapters/web/main.cue:7:3
  → Change the value, or what the adapter declares

.valuestream/qvs.yaml:13:14: There is no adapter "shop.example/adapters/scalde" in the modules
  → Check the path behind the module's name: it has to lead to a folder with CUE files

3 problems. Nothing was changed.
`,
  },
];
