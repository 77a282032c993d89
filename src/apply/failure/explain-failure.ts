import type { JsonObject } from "../../model/json.ts";
import { showableRefusal } from "../../model/showable-refusal.ts";
import type { ClusterFailure } from "../../ports.ts";
import { grantFor } from "./grant.ts";

/** A refusal in words: what is wrong and what to do about it, without full stops. */
export interface Explanation {
  readonly what: string;
  readonly fix: string;
}

/** What the API server's refusal of a write means for whoever runs the deployment. Of `object`, no Secret value is told. */
export function explainFailure(failure: ClusterFailure, object: JsonObject): Explanation {
  return isAnotherObject(failure) ? anotherObject : explain(showableRefusal(failure, object));
}

function explain(failure: ClusterFailure): Explanation {
  switch (failure.reason) {
    case "conflict":
      return explainConflict(failure);
    case "invalid":
      return explainInvalid(failure);
    case "forbidden":
      return explainForbidden(failure);
    case "unauthorized":
      return {
        what: `the cluster does not accept the credentials: ${failure.message}`,
        fix: "renew the credentials in the kubeconfig and run again",
      };
    case "unreachable":
      return {
        what: `the cluster did not answer: ${failure.message}`,
        fix: "check that the cluster can be reached from here and run again: what is done already stays done",
      };
    case "unknown-kind":
      return {
        what: `the cluster does not know this kind: ${failure.message}`,
        fix: "install its CustomResourceDefinition, or correct apiVersion and kind",
      };
    case "not-found":
      return {
        what: `something that it needs is not there: ${failure.message}`,
        fix: "create what is missing (often the Namespace), or declare it as a resource",
      };
    case "already-exists":
    case "expired":
    case "other":
      if (failure.status === 0) return { what: failure.message, fix: "run again" };
      return {
        what: `the cluster refused it (status ${failure.status}): ${failure.message}`,
        fix: "see the server's message; if it is not about this object, running again may help",
      };
  }
}

const anotherObject: Explanation = {
  what: "it was deleted, or replaced by another object of the same name, after the plan was made",
  fix: "run again: the new plan starts from what the cluster holds now",
};

/** The server's two answers to a uid that is not that of the object (409 when it is gone, 422 when it is another). */
function isAnotherObject(failure: ClusterFailure): boolean {
  const inCause = failure.causes.some((cause) => cause.field === "metadata.uid");
  return inCause || /uid mismatch|UID in precondition|metadata\.uid/.test(failure.message);
}

function explainConflict(failure: ClusterFailure): Explanation {
  const fields = failure.causes.filter((cause) => cause.reason === "FieldManagerConflict");
  if (fields.length === 0) {
    return {
      what: `it was changed by somebody else after the plan was made: ${failure.message}`,
      fix: "run again: the new plan starts from what the cluster holds now",
    };
  }
  const list = fields.map((cause) => `${cause.field.replace(/^\./, "")} (${cause.message})`);
  return {
    what: `other managers own fields that it sets: ${list.join(", ")}`,
    fix: "run `qvs diff`: it shows owner and values of each field and the ignore-changes line that leaves it alone",
  };
}

function explainInvalid(failure: ClusterFailure): Explanation {
  const list = failure.causes.map(({ field, message }) =>
    field === "" || field === "<nil>" ? message : `${field}: ${message}`,
  );
  const immutable = failure.causes.some((cause) => /immutable|forbidden/i.test(cause.message));
  return {
    what: `the API server finds it invalid: ${list.length > 0 ? list.join("; ") : failure.message}`,
    fix: immutable
      ? "give the object a new name, or delete it yourself first if it may be gone for a moment"
      : "correct the named fields in the adapter or its params",
  };
}

/** 403 is also the answer of quotas, policies and webhooks, which no role would help against. */
function explainForbidden(failure: ClusterFailure): Explanation {
  return {
    what: `the cluster forbids it: ${failure.message}`,
    fix:
      grantFor(failure.message) ??
      "a quota, policy or webhook of the cluster refused it: satisfy what its message asks for",
  };
}
