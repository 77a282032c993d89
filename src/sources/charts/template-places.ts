import type { ParsedChart } from "../../config/inputs/parsed-input.ts";
import type { Position } from "../../model/problems/problem.ts";
import type { RenderPlace } from "../../ports/render.ts";

/** Returns the place in the repository of a template, such as `shop/templates/web.yaml`. */
export type PlaceOf = (place: RenderPlace) => Position;

/**
 * Creates a function that finds templates in the files of a chart. The first part of the name of a
 * template is the chart, and each `charts/NAME` is a dependency, which can be packed.
 */
export function templatePlaces({ path }: ParsedChart, paths: readonly string[]): PlaceOf {
  const files = new Set(paths);
  const packed = paths.filter((file) => file.endsWith(".tgz"));
  const prefix = path === "" ? "" : `${path}/`;
  return ({ file, line = 1 }) => {
    const place = (found: string) => ({ file: found, line, column: 1 });
    const inChart = file.split("/").slice(1).join("/");
    if (files.has(path)) return place(`${path}/${inChart}`);
    const unpacked = `${prefix}${inChart}`;
    if (files.has(unpacked)) return place(unpacked);
    return place(packedPlace(unpacked, packed) ?? `${prefix}Chart.yaml`);
  };
}

/** Returns the place in a packed dependency: `charts/db/a.yaml` is `charts/db-1.0.0.tgz/a.yaml`. */
function packedPlace(path: string, packed: readonly string[]): string | undefined {
  for (const archive of packed) {
    const folder = archive.slice(0, archive.lastIndexOf("/") + 1);
    if (!path.startsWith(folder)) continue;
    const [name = "", ...rest] = path.slice(folder.length).split("/");
    const version = archive.slice(folder.length + name.length);
    const isOfChart = archive.startsWith(`${folder}${name}`) && /^-v?\d/.test(version);
    if (isOfChart && rest.length > 0) return `${archive}/${rest.join("/")}`;
  }
  return undefined;
}
