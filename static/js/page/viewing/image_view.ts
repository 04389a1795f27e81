// The image, and the elements below it that all protocols share.

import { byId, setText } from "../dom.ts";
import type { AssignmentState } from "../server_types.ts";
import type { Zoom } from "./zoom.ts";

export class ImageView {
  readonly picture = byId("picture");
  image = this.picture.querySelector("img") as HTMLImageElement;
  readonly hint = byId("hint");
  readonly prompt = byId("prompt");
  /** Of a protocol whose batches may allow it. */
  zoom: Zoom | null = null;
  /** How much the image is enlarged as a whole. */
  scale = () => (this.zoom?.rule === "free" ? this.zoom.scale : 1);
  /** Called when enlarging begins and ends. */
  enlarged: (on: boolean) => void = () => undefined;

  /** Shows another image. `ready` is the prefetched element. */
  show({ image, prompt, generator, image_id: id }: AssignmentState, ready: HTMLImageElement) {
    if (ready !== this.image) {
      this.image.replaceWith(ready);
      this.image = ready;
    }
    this.picture.style.setProperty("--ratio", String(image.width / image.height));
    this.picture.classList.add("sized");
    const told = [prompt && `Prompt: ${prompt}`, generator && `Generator: ${generator}`, id && `Image: ${id}`].filter(Boolean);
    this.prompt.hidden = told.length === 0;
    setText(this.prompt, told.join(" · "));
  }

  /** Converts a position on the page to a position on the image. */
  placeOf({ clientX, clientY }: { clientX: number; clientY: number }) {
    const box = this.image.getBoundingClientRect();
    return { x: (clientX - box.left) / box.width, y: (clientY - box.top) / box.height };
  }

  /** In CSS px, to a tenth, before any zoom. */
  size(): [number, number] {
    const { width, height } = this.image.getBoundingClientRect();
    const scale = this.scale();
    return [Math.round((width / scale) * 10) / 10, Math.round((height / scale) * 10) / 10];
  }
}
