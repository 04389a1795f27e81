// Guard against a key press or click that was meant for the previous image.

/** How long no rating counts after an image has appeared. */
export const BLIND_MS = 250;

export class InputGuard {
  shownAt = Infinity;
  image = null as unknown;

  constructor(readonly now: () => number = () => performance.now()) {}

  /**
   * Begins with a new image. Ratings count again some time after it has been painted. `opened` is called as soon as
   * ratings count.
   */
  expect(image: HTMLImageElement, opened: () => void = () => {}) {
    this.shownAt = Infinity;
    this.image = image;
    const painted = () => {
      if (this.image !== image) return;
      this.shownAt = this.now();
      setTimeout(() => this.image === image && opened(), BLIND_MS);
    };
    // The second frame begins after the first has been painted.
    const after = () => requestAnimationFrame(() => requestAnimationFrame(painted));
    void image.decode().then(after, after);
  }

  /** Whether a rating given now is meant for the image that is shown. */
  get open() {
    return this.now() - this.shownAt >= BLIND_MS;
  }
}
