/** A button that shows how many people the lines of a text field invite. */

for (const button of document.querySelectorAll<HTMLElement>("button[data-count-lines]")) {
  const lines = document.getElementById(button.dataset.countLines ?? "");
  if (!(lines instanceof HTMLTextAreaElement)) continue;
  const usual = button.textContent;
  const count = () => {
    const people = lines.value.split("\n").filter((line) => line.trim()).length;
    const { one = "", many = "" } = button.dataset;
    button.textContent = people === 0 ? usual : people === 1 ? one : many.replace("#", String(people));
  };
  lines.addEventListener("input", count);
  count();
}
