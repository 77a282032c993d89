import type { Position } from "../problems/problem.ts";

/** A chart that isn't in the repository: in an OCI registry or in a Helm repository. */
export interface RemoteChart {
  /** `oci://HOST/PATH/NAME`, or the name of the chart in `repository`. */
  readonly chart: string;
  /** The address of the Helm repository; undefined for an OCI registry. */
  readonly repository: string | undefined;
  /** An exact version, such as `6.9.0`. */
  readonly version: string;
}

/** A chart with its place in the config or in Chart.yaml. */
export interface PlacedChart extends RemoteChart {
  readonly where: Position;
}

/** Returns the name of the chart without its registry. */
export function chartName({ chart }: Pick<RemoteChart, "chart">): string {
  return chart.slice(chart.lastIndexOf("/") + 1);
}

/** Returns the chart as messages name it, such as `oci://registry.example/charts/web`. */
export function chartTitle({ chart, repository }: Omit<RemoteChart, "version">): string {
  return repository === undefined ? chart : `${chart} of ${repository}`;
}

/** Returns the name that `helm pull` gives to the packed chart. */
export function packedChartName(chart: Pick<RemoteChart, "chart" | "version">): string {
  return `${chartName(chart)}-${chart.version}.tgz`;
}

/** Reports whether a text is one version, and not a range such as `^6.9` or `6.x`. */
export function isExactVersion(text: string): boolean {
  return /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/.test(text);
}

/** Reports whether `oci://…` names a chart of a registry, without a tag or a digest. */
export function isOciChart(text: string): boolean {
  const [host = "", ...names] = text.startsWith("oci://") ? text.slice(6).split("/") : [];
  return names.length > 0 && isHost(host) && names.every(isOciName);
}

/** Reports whether a text is the address of a Helm repository. */
export function isRepositoryAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:\/\/[^/]/.test(text) || /[\s?#\\]/.test(text)) return false;
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopbackName(url.hostname);
}

/** Reports whether a text is the name of a chart in a Helm repository. */
export function isChartName(text: string): boolean {
  return text.length <= 250 && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text);
}

/** Reports whether a host name means this machine. Only such a registry can lack TLS. */
export function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

function isHost(text: string): boolean {
  return (
    URL.canParse(`https://${text}`) && /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i.test(text)
  );
}

/** https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
function isOciName(text: string): boolean {
  return text.length <= 128 && /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/.test(text);
}
