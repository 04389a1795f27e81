// The image of a protocol whose batches may allow to enlarge it.

import { byId } from "../dom.ts";
import { ImageView } from "./image_view.ts";
import { Zoom } from "./zoom.ts";
import type { AssignmentState } from "../server_types.ts";

export class ZoomedView extends ImageView {
  override zoom = new Zoom(this.picture, byId("stage-foot"));

  constructor() {
    super();
    this.zoom.changed = (on) => this.enlarged(on);
  }

  override show(assignment: AssignmentState, ready: HTMLImageElement) {
    super.show(assignment, ready);
    this.zoom.show(assignment.batch.settings?.zoom ?? "none");
  }
}
