/** A piece of work that makes the index equal to a piece of the volume; applied in one transaction. */
export interface Step {
  /** How many things are other on the volume than in the index; 0 where only what was looked at is noted. */
  readonly changes: number
  apply(): void
}
