"""The exports of marks: a row for each defect, and the same as a COCO file."""
