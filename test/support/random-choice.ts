/** `QVS_RANDOM=SEED:COUNT[:NUMBER]`: what chance is to draw, and which one of it. Empty where nobody says. */
export function randomChoice(): readonly number[] {
  return (process.env.QVS_RANDOM ?? "").split(":").filter(Boolean).map(Number);
}
