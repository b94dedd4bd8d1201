/**
 * Numbers by number in flat memory, which threads can share once it is filled: 16 bytes an entry, doubled at most
 * by free places. Keys are not negative. Open addressing, each key in the first free place from its own on.
 */
export class NumberTable {
  #keys: Float64Array
  #values: Float64Array
  #count = 0

  constructor(shared?: NumberTableMemory) {
    this.#keys = shared ? new Float64Array(shared.keys) : new Float64Array(1024).fill(free)
    this.#values = shared ? new Float64Array(shared.values) : new Float64Array(1024)
  }

  get(key: number): number | undefined {
    const place = this.#placeOf(key)
    return this.#keys[place] === key ? this.#values[place] : undefined
  }

  set(key: number, value: number): void {
    const place = this.#placeOf(key)
    if (this.#keys[place] === free) {
      this.#keys[place] = key
      this.#count += 1
    }
    this.#values[place] = value
    if (this.#count * 2 > this.#keys.length) this.#grow()
  }

  /** A copy that other threads can read (`new NumberTable(memory)`). */
  share(): NumberTableMemory {
    const keys = new SharedArrayBuffer(this.#keys.byteLength)
    const values = new SharedArrayBuffer(this.#values.byteLength)
    new Float64Array(keys).set(this.#keys)
    new Float64Array(values).set(this.#values)
    return { keys, values }
  }

  #placeOf(key: number): number {
    const length = this.#keys.length
    for (let place = key % length; ; place = (place + 1) % length) {
      const there = this.#keys[place]
      if (there === key || there === free) return place
    }
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(keys.length * 2).fill(free)
    this.#values = new Float64Array(keys.length * 2)
    this.#count = 0
    keys.forEach((key, place) => {
      if (key !== free) this.set(key, values[place]!)
    })
  }
}

export interface NumberTableMemory {
  readonly keys: SharedArrayBuffer
  readonly values: SharedArrayBuffer
}

const free = -1
