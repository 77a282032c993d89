import { expect, test } from "vitest";
import {
  deleteEnvironmentCommand,
  rollbackCommand,
} from "../../../../src/model/text/qvs-commands.ts";

test.each([
  [undefined, "qvs rollback --deployment web --namespace shop --to 3"],
  ["staging", "qvs rollback --deployment web --namespace shop --context staging --to 3"],
  [
    "it's $HOME",
    "qvs rollback --deployment web --namespace shop --context 'it'\\''s $HOME' --to 3",
  ],
])("the rollback command can be pasted into a shell, with the context %s", (context, expected) => {
  expect(rollbackCommand({ name: "web", namespace: "shop", context }, 3)).toBe(expected);
});

test.each([
  [undefined, "qvs environments delete -d shop --number 3"],
  ["it's mine", "qvs environments delete -d shop --number 3 --context 'it'\\''s mine'"],
])("the command that deletes an environment has the context %s", (context, expected) => {
  expect(deleteEnvironmentCommand({ entry: "shop", number: 3 }, { context })).toBe(expected);
});
