// The image of a protocol whose batches may allow to enlarge it.

import { byId } from "../dom.js";
import { ImageView } from "./image_view.js";
import { Zoom } from "./zoom.js";

/** @import { AssignmentState } from "../server_types.js" */

export class ZoomedView extends ImageView {
  constructor() {
    super();
    this.zoom = new Zoom(this.picture, byId("stage-foot"));
    this.zoom.changed = (on) => this.enlarged(on);
  }

  /** @override @param {AssignmentState} assignment @param {HTMLImageElement} ready */
  show(assignment, ready) {
    super.show(assignment, ready);
    this.zoom.show(assignment.batch.settings?.zoom ?? "none");
  }
}
