// The wall clock of this browser, for times like "40 s ago".

const TICK_MS = 1000;

class Now {
  ms = $state(Date.now());

  start(): () => void {
    const timer = setInterval(() => {
      this.ms = Date.now();
    }, TICK_MS);
    return () => clearInterval(timer);
  }
}

export const now = new Now();
