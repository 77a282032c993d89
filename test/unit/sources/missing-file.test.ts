import { expect, test } from "vitest";
import { missingFile } from "../../../src/sources/missing-file.ts";

const list = `deployments:
  - {name: shop, config: qvs.yaml, params: [params/prod.yaml]}
  - {name: blog, config: qvs.yaml, params: [params/prod.yaml]}
`;

const filesIn = (files: Readonly<Record<string, string>>) => ({
  read: async (path: string) => files[path],
  list: async () => Object.keys(files),
});

test.each([
  ["of one deployment", "shop", ["services/a/.valuestream/deployments.yaml:2:45"]],
  [
    "of any",
    undefined,
    [
      "services/a/.valuestream/deployments.yaml:2:45",
      "services/a/.valuestream/deployments.yaml:3:45",
    ],
  ],
  ["of a deployment that doesn't name it", "docs", []],
])(
  "a missing file in a list in a subdirectory, %s, is reported at its line",
  async (_, deployment, expected) => {
    const tree = filesIn({
      ".valuestream/deployments.yaml": list,
      "services/a/.valuestream/deployments.yaml": list,
      "services/a/.valuestream/qvs.yaml": "",
    });
    const path = "services/a/.valuestream/params/prod.yaml";
    const { where, what } = await missingFile(tree, "parameter file", path, deployment);
    expect(where.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual(expected);
    expect(what).toBe(`Parameter file "${path}" doesn't exist`);
  },
);
