// One direction of a network link that can be cut and healed. What arrives while it is cut waits, as TCP makes it wait.

export class Gate {
  #waiting: (() => void)[] = [];
  #isOpen = true;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  cut(): void {
    this.#isOpen = false;
  }

  /** Lets everything through that waits, in the order of its arrival. */
  heal(): void {
    this.#isOpen = true;
    const released = this.#waiting;
    this.#waiting = [];
    for (const release of released) release();
  }

  /** Resolves as soon as the direction is open. */
  async opened(): Promise<void> {
    while (!this.#isOpen) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
