import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultKubernetes, otherKubernetes, selectedKubernetes } from "./kubernetes-versions.ts";

const select = (version: string | undefined) => selectedKubernetes({ QVS_KUBERNETES: version });

test("no selection and the usual version mean the usual control plane", () => {
  expect([undefined, "", "1.36"].map(select)).toEqual([undefined, undefined, undefined]);
});

test("each other version can be selected", () => {
  expect(["1.32", "1.33", "1.34", "1.35", "1.37"].map(select)).toEqual(
    Object.keys(otherKubernetes),
  );
});

test("an unknown version is an error that lists the known ones", () => {
  for (const version of ["1.31", "1.3", "v1.36", "1.36.4", "toString"])
    expect(() => select(version)).toThrow(
      /QVS_KUBERNETES is ".*", which no recipe builds[\s\S]*1\.32, 1\.33, 1\.34, 1\.35, 1\.36, 1\.37/,
    );
});

const releases: Readonly<Record<string, string>> = {
  "control-plane": defaultKubernetes,
  ...Object.fromEntries(
    Object.entries(otherKubernetes).map(([version, release]) => [`kubernetes-${version}`, release]),
  ),
};

test.each(Object.entries(releases))(
  "go.mod of %s builds Kubernetes %s",
  async (folder, release) => {
    const text = await readFile(join(import.meta.dirname, folder, "go.mod"), "utf8");
    expect(/^\s*k8s\.io\/kubernetes v(\S+)/m.exec(text)?.[1]).toBe(release);
  },
);
