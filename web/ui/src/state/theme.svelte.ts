// Dark or light colours: the system's preference until the user selects one.

export type Theme = 'dark' | 'light';

const KEY = 'harrier-theme';

class ThemeState {
  #system = matchMedia('(prefers-color-scheme: light)');
  current = $state<Theme>('dark');

  constructor() {
    this.#apply(stored() ?? this.#preferred());
    this.#system.addEventListener('change', () => {
      if (!stored()) this.#apply(this.#preferred());
    });
  }

  toggle() {
    const next = this.current === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Without storage the selection lasts until the page is closed.
    }
    this.#apply(next);
  }

  #preferred(): Theme {
    return this.#system.matches ? 'light' : 'dark';
  }

  #apply(theme: Theme) {
    this.current = theme;
    document.documentElement.dataset.theme = theme;
  }
}

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'dark' || value === 'light' ? value : null;
  } catch {
    return null;
  }
}

export const theme = new ThemeState();
