// A picture of the page as an SVG file of its own: styles are inlined, so that it looks the same in another program.

/** The properties that a picture of the dashboard uses; all of them are attributes of SVG as well. */
const STYLES = [
  'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'opacity',
  'vector-effect', 'paint-order', 'font-family', 'font-size', 'font-weight', 'text-anchor',
];
/** What an element keeps besides its styles: its shape, and what defines and uses arrow heads. */
const GEOMETRY = /^(d|x|y|x1|x2|y1|y2|dx|dy|r|rx|ry|cx|cy|width|height|points|transform|viewBox|preserveAspectRatio|id|ref[XY]|marker.*|orient|xmlns)$/;
const XMLNS = 'http://www.w3.org/2000/svg';

/** Returns the picture as an SVG document with a title and the background of its panel, in its present colours. */
export function svgDocument(picture: SVGSVGElement, title: string): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const originals = [picture, ...picture.querySelectorAll('*')];
  [copy, ...copy.querySelectorAll('*')].forEach((element, index) => {
    const original = originals[index];
    if (original) inline(element, original);
  });
  // Links of the dashboard lead nowhere from a file.
  for (const link of copy.querySelectorAll('a')) {
    const group = document.createElementNS(XMLNS, 'g');
    group.append(...link.childNodes);
    link.replaceWith(group);
  }
  const { x, y, width, height } = picture.viewBox.baseVal;
  copy.setAttribute('width', String(Math.round(width)));
  copy.setAttribute('height', String(Math.round(height)));
  copy.prepend(titleOf(title), backgroundOf(picture, { x, y, width, height }));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

function inline(element: Element, original: Element) {
  for (const { name } of [...element.attributes]) if (!GEOMETRY.test(name)) element.removeAttribute(name);
  if (original instanceof SVGTitleElement) return;
  const style = getComputedStyle(original);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value) element.setAttribute(name, value);
  }
}

function titleOf(text: string): Element {
  const title = document.createElementNS(XMLNS, 'title');
  title.textContent = text;
  return title;
}

/** The colour behind the picture: that of the nearest element that has one. */
function backgroundOf(picture: Element, frame: Record<'x' | 'y' | 'width' | 'height', number>): Element {
  const background = document.createElementNS(XMLNS, 'rect');
  for (const [name, value] of Object.entries(frame)) background.setAttribute(name, String(value));
  let colour = 'none';
  for (let element: Element | null = picture; element && colour === 'none'; element = element.parentElement) {
    const own = getComputedStyle(element).backgroundColor;
    if (own !== 'rgba(0, 0, 0, 0)') colour = own;
  }
  background.setAttribute('fill', colour);
  return background;
}

/** Offers a document as a download. */
export function download(text: string, type: string, name: string) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
