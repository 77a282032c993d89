import type { YamlMap } from "../sources/yaml-node.ts";

/** The conditions under which a pull request gets an environment. */
export const previewConditions = ["label", "always"] as const;
type PreviewCondition = (typeof previewConditions)[number];

/** The `preview` of an entry (docs/reference/deployments-yaml.md#preview). */
export interface PreviewTemplate {
  /** The namespace of an environment, with `${number}` once. */
  readonly namespace: string;
  /** The labels of the namespace, such as those of Pod Security. */
  readonly labels: Readonly<Record<string, string>>;
  /** The params that replace those of the files, with `${number}` in strings. */
  readonly params: YamlMap | undefined;
  /** The lifetime since the last deployment. */
  readonly ttlMs: number;
  /** The entry whose config and params the environment uses; undefined for the entry itself. */
  readonly from: string | undefined;
  readonly when: PreviewCondition;
  /** The label of the pull request, if `when` is `label`. */
  readonly label: string;
  /** The address of an environment, with `${number}`. */
  readonly url: string | undefined;
}

/** The repository of an environment. Names change and are used again; ids aren't. */
interface EnvironmentRepository {
  /** The server and the repository's id on it, such as `https://github.com/1296269`. */
  readonly id?: string | undefined;
  /** The path of the repository, such as `acme/shop`. */
  readonly path?: string | undefined;
}

/** The pull request and the list to which an environment belongs. No one else can change it. */
export interface EnvironmentOwner {
  readonly repository: EnvironmentRepository;
  /** The path of the deployment list in the repository. */
  readonly list: string;
  /** The name of the entry with the `preview`. */
  readonly entry: string;
  /** The number of the pull request. */
  readonly number: number;
}

/** The environment that a release records. */
export interface PreviewEnvironment extends EnvironmentOwner {
  /** The only namespace in which the environment has objects. qvs creates and deletes it. */
  readonly namespace: string;
  /** The head commit of the pull request; undefined from the command line. */
  readonly head?: string | undefined;
  readonly ttlMs: number;
}

/** The largest number of a pull request that a name can contain. */
export const maxPullRequest = 9_999_999;

const placeholder = "${number}";

/** Returns the parts of a template around its only `${number}`; undefined without exactly one. */
export function splitTemplate(template: string): readonly [string, string] | undefined {
  const [before, after, ...others] = template.split(placeholder);
  return before === undefined || after === undefined || others.length > 0
    ? undefined
    : [before, after];
}

/** Replaces each `${number}` of a string. */
export function withNumber(template: string, number: number): string {
  return template.replaceAll(placeholder, String(number));
}

/** Returns the name of the deployment that is the environment of a pull request. */
export function environmentName(entry: string, number: number): string {
  return `${entry}-pr-${number}`;
}

/** Reports whether two environments have the same owner. */
export function isSameOwner(one: EnvironmentOwner, other: EnvironmentOwner): boolean {
  return (
    isSameRepository(one.repository, other.repository) &&
    one.list === other.list &&
    one.entry === other.entry &&
    one.number === other.number
  );
}

/** Compares the ids if both are known, and else the paths. Two unknown repositories differ. */
function isSameRepository(one: EnvironmentRepository, other: EnvironmentRepository): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.path !== undefined && one.path.toLowerCase() === other.path?.toLowerCase();
}
