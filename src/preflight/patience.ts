/** How long a deployment waits for one object by default, in seconds: what takes longer fails. */
export const patienceSeconds = 600;
