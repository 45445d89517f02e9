/** Somebody else in the process, who asks for his next turn as soon as he has had one. */
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

  /** Turns that he has had. */
  get turns(): number {
    return this.#turns;
  }

  leave(): void {
    this.#isOver = true;
  }
}
