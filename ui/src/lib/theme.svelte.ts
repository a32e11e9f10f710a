// Light, dark or as the system has it; remembered in this browser.

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'gannet-theme';

function stored(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : 'auto';
  } catch {
    return 'auto';
  }
}

export const theme = $state({ choice: stored() });

export function applyTheme(): void {
  if (theme.choice === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.choice;
}

export function chooseTheme(choice: Theme): void {
  theme.choice = choice;
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Storage may be off; the choice then lasts as long as the page.
  }
  applyTheme();
}
