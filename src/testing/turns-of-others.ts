/** Somebody else in the process, who requests their next turn as soon as they have had one. */
export class Other {
  #turns = 0;
  #isOver = false;

  constructor() {
    const take = () => {
      this.#turns++;
      if (!this.#isOver) setImmediate(take);
    };
    setImmediate(take);
  }

  /** Turns that they have had. */
  get turns(): number {
    return this.#turns;
  }

  leave(): void {
    this.#isOver = true;
  }
}
