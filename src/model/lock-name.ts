/** The Lease that is the lock of a deployment. */
export function lockName(deployment: string): string {
  return `qvs-${deployment}`;
}
