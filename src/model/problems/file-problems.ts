import { fieldOf } from "../json.ts";
import type { UnplacedProblem } from "./problem.ts";

/**
 * Returns the error for a link whose target doesn't exist. `target` is the text of the link, with
 * those of the links to which it leads.
 */
export function brokenLinkProblem(link: string, target: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `Link "${link}" leads to a file that doesn't exist`,
    facts: [{ label: "target", value: target }],
    fix: "Correct the target of the link",
    otherwise: ["remove the link", "commit its target: the Action reads only committed files"],
  };
}

/** Returns the error for links that lead to each other. */
export function linkCycleProblem(link: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${link}" can't be read`,
    facts: [{ label: "error", value: "ELOOP" }],
    fix: fileErrorFix("ELOOP", ""),
  };
}

/** Returns the error for a file in a submodule, or for a submodule below a directory. */
export function submoduleProblem(submodule: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${submodule}" is a Git submodule`,
    why: "A commit doesn't contain the files of submodules, so qvs never reads them",
    fix: "Copy the files into this repository",
    otherwise: [
      "move the submodule to a directory that qvs doesn't read",
      "if it contains adapters, name its repository and a revision under modules",
    ],
  };
}

/** Returns the error for a file that has no content in the commit, because Git LFS stores it. */
export function lfsPointerProblem(path: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${path}" is a pointer of Git LFS`,
    why: "The content isn't in the commit, and qvs doesn't download it",
    fix: "Remove the pattern with `filter=lfs` that matches the file from .gitattributes, and commit the content",
  };
}

/** Returns the error for a pipe, a socket or a device. */
export function irregularFileProblem(path: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${path}" isn't a regular file`,
    why: "It is a pipe, a socket or a device",
    fix: "Remove it, or replace it with a file",
  };
}

/** Returns the error for a directory that the operating system doesn't let qvs read. */
export function unreadableDirectoryProblem(path: string, error: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `Directory "${path}" can't be read`,
    facts: [{ label: "error", value: error }],
    fix: fileErrorFix(error, "Correct the permissions of the directory"),
  };
}

/** Returns the error for a file that git can't name in a request. */
export function lineBreakProblem(path: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `The path ${JSON.stringify(path)} contains a line break`,
    why: "qvs can't read such a file from a commit",
    fix: "Rename the file",
  };
}

/** Returns the error for a link to a directory. */
export function directoryLinkProblem(link: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${link}" is a link to a directory`,
    why: "qvs follows links to files only",
    fix: "Replace the link with the directory",
  };
}

/** Returns the error for a listed file that isn't one when qvs reads it. */
export function notFileProblem(path: string): UnplacedProblem {
  return {
    code: "file-not-readable",
    what: `"${path}" can't be read as a file`,
    why: "It is a link to a directory, or it was removed while qvs read the files",
    fix: "Replace the link with the directory",
    otherwise: ["run again after all files are written"],
  };
}

/** The fixes for errors of the operating system that other permissions don't solve. */
const fixes: Readonly<Record<string, string>> = {
  EDQUOT: "Free space on the disk",
  EIO: "Check the disk",
  EISDIR: "Name a file instead of a directory",
  ELOOP: "Remove the cycle of links",
  EMFILE: "Raise the limit of open files, as with ulimit -n",
  ENAMETOOLONG: "Use a shorter path",
  ENFILE: "Raise the limit of open files of the system",
  ENOENT: "Correct the path, because nothing exists there",
  ENOSPC: "Free space on the disk",
  ENOTDIR: "Correct the path, because a part of it is a file",
  EROFS: "Use a path on a writable file system",
};

/**
 * Returns the fix for a file that can't be read or written, by the error code of Node.js.
 * `permissionFix` is the fix for missing permissions and for unknown codes.
 */
export function fileErrorFix(code: string | undefined, permissionFix: string): string {
  return (code === undefined ? undefined : fieldOf(fixes, code)) ?? permissionFix;
}

/** Reports whether other permissions would solve the error. */
export function isPermissionError(code: string | undefined): boolean {
  return code === "EACCES" || code === "EPERM";
}

/**
 * The first line of a pointer in the specification of Git LFS, version 1. A pointer has less than
 * 1024 bytes.
 */
const header = Buffer.from("version https://git-lfs.github.com/spec/v1");
const maxBytes = 1024;

/** Reports whether the content of a file is a pointer of Git LFS instead. */
export function isLfsPointer(content: Uint8Array): boolean {
  return content.length < maxBytes && header.equals(content.subarray(0, header.length));
}
