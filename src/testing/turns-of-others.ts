/** Other work of the process, which requests its next turn as soon as it has had one. */
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

  /** Turns that it has had. */
  get turns(): number {
    return this.#turns;
  }

  leave(): void {
    this.#isOver = true;
  }
}
