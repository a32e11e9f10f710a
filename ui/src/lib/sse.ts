// Server-sent events that survive a lost connection and say when they were last heard.

export type Heard = 'connecting' | 'live' | 'lost';

export interface Listener {
  /** Handlers by event name; `data` is parsed JSON. */
  on: Record<string, (data: never) => void>;
  /** Called when the connection comes or goes, and on each event with the time. */
  state?: (heard: Heard, at: number) => void;
}

/** Listens until the returned function is called. EventSource sends Last-Event-ID again by itself;
    after an error that it gives up on, we try again with growing pauses. */
export function listen(url: string, listener: Listener): () => void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = 1000;
  let closed = false;

  const heard = () => {
    pause = 1000;
    listener.state?.('live', Date.now());
  };

  const open = () => {
    if (closed) return;
    source = new EventSource(url);
    source.onopen = heard;
    source.onerror = () => {
      listener.state?.('lost', Date.now());
      if (source?.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(open, pause);
      pause = Math.min(pause * 2, 15_000);
    };
    for (const [name, handle] of Object.entries(listener.on)) {
      source.addEventListener(name, (event) => {
        heard();
        let data: unknown;
        try {
          data = JSON.parse((event as MessageEvent<string>).data);
        } catch {
          return;
        }
        handle(data as never);
      });
    }
  };

  listener.state?.('connecting', Date.now());
  open();
  return () => {
    closed = true;
    clearTimeout(timer);
    source?.close();
  };
}
