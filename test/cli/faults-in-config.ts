import { compile, config, type Fault } from "./fault.ts";

/** Mistakes in the QVS config, in params files and in `--param`. */
export const faultsInConfig: readonly Fault[] = [
  {
    name: "a value in a params file that has not the declared type",
    edits: [["params.yaml", "replicas: 2", "replicas: two"]],
    says: `
params.yaml:2:11: The parameter "replicas" must be a whole number, but is text
  and .valuestream/qvs.yaml:3:12
  → Give a whole number below 2^53, or declare another type

Nothing was changed.
`,
  },
  {
    name: "a pattern of a module that is not listed",
    edits: [[config, "pattern: shop.example/", "pattern: shop.exmaple/"]],
    says: `
.valuestream/qvs.yaml:8:14: The adapter "shop.exmaple/adapters/web" is in none of the modules
  → Did you mean "shop.example/adapters/web"? Its path must begin with the name of a module: shop.example/adapters

Nothing was changed.
`,
  },
  {
    name: "a local module that is not there",
    edits: [[config, "../adapters}", "../adaptors}"]],
    says: `
.valuestream/qvs.yaml:5:11: The repository has no folder "adaptors" with CUE files
  → Correct the path of the local module; the Action reads only what is committed

Nothing was changed.
`,
  },
  {
    name: "a parameter that is not declared",
    edits: [[config, "$(params.version)", "$(params.verison)"]],
    says: `
.valuestream/qvs.yaml:11:36: The parameter "verison" is not declared
  → Did you mean $(params.version)? Declare it under params, or write $$(params.verison) for that text itself

Nothing was changed.
`,
  },
  {
    name: "a parameter without a value",
    edits: [["params.yaml", "version: 1.0.0\n", ""]],
    says: `
.valuestream/qvs.yaml:11:36: The parameter "version" has no value
  → Give it in a params file or with --param version=…

Nothing was changed.
`,
  },
  {
    name: "a misspelt key of the config",
    edits: [[config, "designPatterns:", "designPattern:"]],
    says: `
.valuestream/qvs.yaml:7:1: Unknown key "designPattern"
  → Did you mean "designPatterns"?

Nothing was changed.
`,
  },
  {
    name: "YAML that cannot be read",
    edits: [[config, "    params:\n", "   params:\n"]],
    says: `
.valuestream/qvs.yaml:9:1: This is not valid YAML: Sequence item without - indicator
  → Correct the syntax here; text that contains special characters must be quoted

Nothing was changed.
`,
  },
  {
    name: "several mistakes in the config, all at once",
    edits: [
      [config, "type: int", "type: integer"],
      [config, "    params:", "    parms:"],
      [config, "local: {path: ../adapters}", "local: {path: ../../adapters}"],
    ],
    says: `
.valuestream/qvs.yaml:3:28: "integer" is not a type
  → Use one of string, int, bool, array, object, secret

.valuestream/qvs.yaml:9:5: Unknown key "parms"
  → Did you mean "params"?

.valuestream/qvs.yaml:6:19: The local module path "../../adapters" leads outside the repository
  → Give a path inside the repository, relative to this file, or name a git repository with remote

3 problems. Nothing was changed.
`,
  },
  {
    name: "several mistakes in the values, all at once",
    edits: [
      [config, "$(params.version)", "$(params.verison)"],
      ["params.yaml", "replicas: 2", "replicas: two"],
    ],
    args: [...compile, "--param", "relpicas=3"],
    says: `
The inline parameter "relpicas" is not declared by the config
  → Did you mean "replicas"? Declare it under params, or leave it out

params.yaml:2:11: The parameter "replicas" must be a whole number, but is text
  and .valuestream/qvs.yaml:3:12
  → Give a whole number below 2^53, or declare another type

.valuestream/qvs.yaml:11:36: The parameter "verison" is not declared
  → Did you mean $(params.version)? Declare it under params, or write $$(params.verison) for that text itself

3 problems. Nothing was changed.
`,
  },
  {
    name: "an inline param that is none",
    args: [...compile, "--param", "replicas"],
    says: `
An inline parameter is not of the form NAME=VALUE
  → Write, for example, "--param replicas=3"

Nothing was changed.
`,
  },
];
