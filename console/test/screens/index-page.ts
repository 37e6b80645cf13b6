// The page that shows all pictures beside each other.
import { colours, languages } from './drawing.ts';

export function indexOf(names: string[]): string {
  const kinds = languages.flatMap((language) => colours.map((colour) => `${language}-${colour}`));
  const row = (name: string) => `<section id="${name}">
  <h2><a href="#${name}">${name}</a></h2>
  <div>${kinds
    .map((kind) => {
      const file = `${name}-${kind}.png`;
      return `<a href="${file}"><img src="${file}" alt="${name}, ${kind}" loading="lazy"></a>`;
    })
    .join('\n  ')}</div>
</section>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Screens of the console</title>
<style>
  body { font: 16px sans-serif; margin: 1rem; }
  nav { columns: 12rem; }
  section > div { display: grid; grid-template-columns: repeat(${kinds.length}, 1fr); gap: 0.5rem; align-items: start; }
  img { width: 100%; border: 1px solid #888; }
</style>
<h1>Screens of the console</h1>
<nav>${names.map((name) => `<div><a href="#${name}">${name}</a></div>`).join('\n')}</nav>
${names.map(row).join('\n')}
</html>
`;
}
