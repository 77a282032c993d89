import type { Fault } from "./fault.ts";

/** Command lines that say nothing sensible: the next step is the help. */
export const faultsInFlags: readonly Fault[] = [
  {
    name: "a flag that does not exist",
    args: ["compile", "--formt", "json"],
    says: `
Unknown option '--formt'
(Did you mean --format?)
  → qvs compile --help shows its flags
`,
  },
  {
    name: "a command that does not exist",
    args: ["deplyo"],
    says: `
Unknown command 'deplyo'
(Did you mean deploy?)
  → qvs --help shows the commands
`,
  },
  {
    name: "a timeout without a unit",
    args: ["deploy", "--timeout", "90"],
    says: `
Option '--timeout <duration>' argument '90' is invalid. Write a number with s, m or h behind it, for example 90s or 10m.
  → qvs deploy --help shows its flags
`,
  },
  {
    name: "a rollback that does not say where to",
    args: ["rollback"],
    says: `
Required option '--to <revision>' not specified
  → qvs rollback --help shows its flags
`,
  },
];
