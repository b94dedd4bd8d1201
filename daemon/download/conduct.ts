/** How downloads behave. Times in milliseconds; a file has no time limit. */
export interface Conduct {
  /** For a connection. */
  readonly connect: number
  /** For the head of an answer, and between two pieces of its body. */
  readonly stall: number
  /** Before the second attempt; doubled before each further one. */
  readonly firstPause: number
  /** From this size on, in bytes, a file comes in parts, side by side. */
  readonly partsFrom: number
}

export const usualConduct: Conduct = { connect: 20_000, stall: 60_000, firstPause: 500, partsFrom: 256 << 20 }
