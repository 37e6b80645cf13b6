// Light, dark, or as the system wishes.
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const kept = 'godwit.theme';

export const chosenTheme = (): Theme =>
  themes.find((theme) => theme === localStorage.getItem(kept)) ?? 'system';

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(kept, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
