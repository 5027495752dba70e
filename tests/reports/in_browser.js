// What a page looks like to a person who cannot take much for granted: contrast, names, targets.
() => {
  const problems = [];
  const parse = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { r, g, b, a };
  };
  const luminance = ({ r, g, b }) => {
    const part = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const background = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = parse(getComputedStyle(e).backgroundColor);
      if (colour.a === 1) return colour;
      if (colour.a > 0) throw new Error("half transparent background");
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? { r: 0, g: 0, b: 0 } : { r: 255, g: 255, b: 255 };
  };
  let texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, style")) continue;
    const style = getComputedStyle(element);
    const ink = parse(element.closest("svg") ? style.fill : style.color);
    const [light, dark] = [luminance(ink), luminance(background(element))].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    texts += 1;
    if (ratio < 4.5) problems.push(`contrast ${ratio.toFixed(2)}: ${node.textContent.trim().slice(0, 40)}`);
    if (parseFloat(style.fontSize) < 12) problems.push(`small: ${node.textContent.trim().slice(0, 40)}`);
  }
  for (const control of document.querySelectorAll("input, select, textarea")) {
    if (!control.labels.length) problems.push(`no label: ${control.outerHTML.slice(0, 80)}`);
  }
  for (const named of document.querySelectorAll("a, button, summary")) {
    if (!named.textContent.trim()) problems.push(`no name: ${named.outerHTML.slice(0, 80)}`);
  }
  for (const image of document.images) {
    if (!image.alt) problems.push("image without alt");
    if (!image.complete || !image.naturalWidth) problems.push(`image not drawn: ${image.alt}`);
  }
  for (const box of document.querySelectorAll("main *")) {
    const { overflowX } = getComputedStyle(box);
    if ((overflowX === "auto" || overflowX === "scroll") && box.tabIndex < 0) problems.push("a box scrolls without keys");
  }
  return { problems, texts, overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth };
};
