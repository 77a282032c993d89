import { containerImages } from "../../model/cluster/pods.ts";
import { nameOf } from "../../model/object.ts";
import { knownAfterDeploy } from "../../model/plan/apply-time-reference.ts";
import type { Finding } from "../../model/problems/finding.ts";
import { imagePath } from "../field-paths.ts";
import { keepsOldPods, plannedPods, samplePodSpec } from "../planned-pods.ts";
import { awaitsPodsOnNodes } from "../rollouts/daemon-set-controller.ts";
import { changeFinding, type PreflightInput } from "../rule.ts";
import { capitalize } from "./sentences.ts";

/**
 * Reports images that no node can parse.
 * The API server accepts any string as an image, but the kubelet never starts such a container.
 * If qvs has dry-run a Pod, it checks the images of that Pod, because admission can change them.
 * It also checks unchanged objects, because their Pods fail too.
 */
export function invalidImage({ plan, facts, placeOf }: PreflightInput): readonly Finding[] {
  const workloads = plannedPods(plan.changes).filter(
    ({ change }) => change.id.kind !== "PodTemplate",
  );
  return workloads.flatMap(({ change }) => {
    const isRolled = change.live === undefined || !keepsOldPods(change.desired);
    const images = containerImages(samplePodSpec(change, facts) ?? {});
    return [...new Set(images)].flatMap((image): readonly Finding[] => {
      const flaw = isCheckable(image) ? imageNameError(image) : undefined;
      if (flaw === undefined) return [];
      return [
        changeFinding(change, placeOf, {
          code: "invalid-image",
          severity: awaitsPodsOnNodes(change, facts) && isRolled ? "error" : "warning",
          what: `${nameOf(change.id)}: no node can pull ${JSON.stringify(image)}`,
          why: `${capitalize(flaw)}. Each of its Pods waits with InvalidImageName`,
          fix: "Correct the image name, for example registry.example/team/web:1.2.3",
          path: imagePath(image, change.desired),
        }),
      ];
    });
  });
}

/**
 * Reports whether qvs can check an image.
 * The form of a value known after deploy is unknown. The API server rejects Pods with leading or
 * trailing spaces itself.
 */
function isCheckable(image: string): boolean {
  return image === image.trim() && image !== "" && !image.includes(knownAfterDeploy);
}

/*
 * Image names as nodes parse them before a pull (the kubelet uses
 * github.com/distribution/reference).
 * A name that doesn't parse stays in InvalidImageName. The API server accepts any string.
 */

const component = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const host = String.raw`(?:${component}(?:\.${component})*|\[[a-fA-F0-9:]+\])`;
const registry = `${host}(?::[0-9]+)?`;
const word = "[a-z0-9]+";
const part = `${word}(?:(?:[._]|__|-+)${word})*`;
const repository = `${part}(?:/${part})*`;
const tag = String.raw`[\w][\w.-]{0,127}`;
const algorithm = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*";
const imagePattern = new RegExp(
  `^((?:${registry}/)?${repository})(?::${tag})?(?:@(${algorithm}:[0-9a-fA-F]{32,}))?$`,
);

const digestPattern = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const imageIdPattern = /^[a-f0-9]{64}$/;

/** The maximum length of a repository name, without the registry. */
const maxRepositoryLength = 255;

/**
 * Returns the reason why nodes reject the image name, as a part of a sentence.
 * Returns undefined for a valid name.
 */
export function imageNameError(image: string): string | undefined {
  if (/\s/.test(image)) return "it contains a space";
  if (imageIdPattern.test(image)) return "it is an image ID without a repository name";
  const found = imagePattern.exec(image);
  if (found === null) return imageFormatError(image);
  const [, name = "", digest] = found;
  if (repositoryPath(name).length > maxRepositoryLength) {
    return `its repository name has more than ${maxRepositoryLength} characters`;
  }
  if (digest === undefined || digestPattern.test(digest)) return undefined;
  return "its digest isn't a complete sha256, sha384 or sha512 digest in lowercase";
}

/**
 * Returns the repository path without the registry.
 * The first part is a registry if it can't be a Docker Hub namespace. Docker Hub's own images are
 * in the namespace `library`.
 */
function repositoryPath(name: string): string {
  const slash = name.indexOf("/");
  if (slash < 0) return `library/${name}`;
  const first = name.slice(0, slash);
  const isRegistry = /[.:A-Z]/.test(first) || first === "localhost";
  return isRegistry ? name.slice(slash + 1) : name;
}

function imageFormatError(image: string): string {
  const [name = ""] = image.split("@");
  const slash = name.lastIndexOf("/");
  const last = name.slice(slash + 1).replace(/:.*/s, "");
  const middle = slash < 0 ? "" : name.slice(name.indexOf("/") + 1, Math.max(slash, 0));
  if (/[A-Z]/.test(last) || (name.indexOf("/") < slash && /[A-Z]/.test(middle))) {
    return "its repository name contains uppercase letters";
  }
  if (image.includes("://")) return "it is a URL";
  return "it doesn't have the form [registry[:port]/]name[:tag][@digest]";
}
