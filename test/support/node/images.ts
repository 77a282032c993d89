import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { buildTools } from "../cluster/build.ts";

const run = promisify(execFile);

/** A program of `tools/node-programs` as an image. */
export interface ImageOptions {
  readonly program: "server" | "pause";
  readonly environment?: Readonly<Record<string, string>>;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Gives the node an image, as if it had been pulled. */
export async function importImage(name: string, options: ImageOptions): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "image-"));
  try {
    const layout = join(work, "layout");
    await writeLayout(layout, name, options);
    const archive = join(work, "image.tar");
    await run("tar", ["-C", layout, "-cf", archive, "."]);
    const { path } = await buildTools("container-runtime");
    await run(path("ctr"), ["--namespace=k8s.io", "images", "import", archive]);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Writes an image with one layer in the layout of the Open Container Initiative. The label gives
 * each name its own digest, because the kubelet finds the name of an image by its digest.
 * https://github.com/opencontainers/image-spec/blob/main/image-layout.md
 */
async function writeLayout(layout: string, name: string, options: ImageOptions): Promise<void> {
  const { program, environment = {} } = options;
  const type = (kind: string) => `application/vnd.oci.image.${kind}`;
  await mkdir(join(layout, "blobs/sha256"), { recursive: true });
  const write = (kind: string, content: Buffer) => writeBlob(layout, type(kind), content);
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const layer = await write("layer.v1.tar", await layerWith(program));
  const config = await write(
    "config.v1+json",
    json({
      architecture: { arm64: "arm64" }[process.arch as string] ?? "amd64",
      os: "linux",
      config: {
        Entrypoint: [`/${program}`],
        Env: Object.entries(environment).map(([key, value]) => `${key}=${value}`),
        Labels: { name },
      },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
    }),
  );
  const manifest = await write(
    "manifest.v1+json",
    json({ schemaVersion: 2, mediaType: type("manifest.v1+json"), config, layers: [layer] }),
  );
  const annotations = { "io.containerd.image.name": name };
  await writeFile(join(layout, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
  await writeFile(
    join(layout, "index.json"),
    json({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }),
  );
}

async function writeBlob(layout: string, mediaType: string, content: Buffer): Promise<Descriptor> {
  const hash = createHash("sha256").update(content).digest("hex");
  await writeFile(join(layout, "blobs/sha256", hash), content);
  return { mediaType, digest: `sha256:${hash}`, size: content.length };
}

/** Returns a file system that contains only the program, the same bytes each time. */
async function layerWith(program: string): Promise<Buffer> {
  const { path } = await buildTools("node-programs");
  const root = await mkdtemp(join(tmpdir(), "layer-"));
  try {
    await copyFile(path(program), join(root, program));
    const archive = `${root}.tar`;
    const steady = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    await run("tar", ["-C", root, ...steady, "-cf", archive, program]);
    const content = await readFile(archive);
    await rm(archive);
    return content;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
