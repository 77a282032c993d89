import { expect, test } from "vitest";
import { type Choice, createChooser } from "../../../../src/action/inputs/choose-deployments.ts";
import { shopDeployment } from "../../../support/shop/shop-report.ts";

const staging = shopDeployment({ name: "shop-staging", config: "shop/.valuestream/qvs.yaml" });
const production = shopDeployment({
  name: "shop-production",
  config: "shop/.valuestream/qvs.yaml",
});
const mail = shopDeployment({ name: "mail", config: "mail/.valuestream/qvs.yaml" });
const all = [staging, production, mail];

function chosen(choice: Partial<Choice>, listed = all, known = listed) {
  const choose = createChooser({ globs: [], names: undefined, ...choice });
  return choose(listed, known).map(({ name }) => name);
}

test.each([
  [{}, ["shop-staging", "shop-production", "mail"]],
  [{ names: ["mail"] }, ["mail"]],
  [{ names: [] }, []],
  [{ globs: ["shop/**"] }, ["shop-staging", "shop-production"]],
  [{ globs: ["shop/**", "mail/**"], names: ["mail"] }, ["mail"]],
] as const)("%o chooses %o", (choice, names) => {
  expect(chosen(choice)).toEqual(names);
});

test("an unknown name is an error with a suggestion and the known names", () => {
  expect(() => chosen({ names: ["mail", "shop-stagin"] })).toThrow(
    `Input deployment: "shop-stagin" doesn't exist\n  help: Did you mean "shop-staging"?\n  help: or choose one of these: mail, shop-production, shop-staging`,
  );
});

test("a glob that matches nothing is an error", () => {
  expect(() => chosen({ globs: ["shop/**", "mial/.valuestream/qvs.yaml"] })).toThrow(
    `Input config: "mial/.valuestream/qvs.yaml" matches no config of a deployment\n  help: Did you mean "mail/.valuestream/qvs.yaml"?\n  help: or choose one of these: mail/.valuestream/qvs.yaml, shop/.valuestream/qvs.yaml`,
  );
});

test("a name that the globs exclude is an error", () => {
  expect(() => chosen({ globs: ["shop/**"], names: ["mail"] })).toThrow(
    `Input deployment: "mail" is excluded by the input config`,
  );
});

test("an error without any deployment shows how to start", () => {
  expect(() => chosen({ names: ["mail"] }, [])).toThrow("Write a config");
});

test("a name outside the changed deployments isn't an error", () => {
  expect(chosen({ names: ["mail"] }, [staging], all)).toEqual([]);
});
