# A whole Handoff worker in Elixir, with Jiffy for JSON; docs/PROTOCOL.md tells what it says and hears.

defmodule Hello do
  # Your part: from a request to status, headers and content. Each request has a process of its own.
  def handle(request, body) do
    case request["target"] |> String.split("?") |> hd() do
      "/" ->
        {200, [["content-type", "text/plain"]], "hello\n"}

      "/echo" ->
        headers = :jiffy.encode(request["headers"], [:uescape]) |> IO.iodata_to_binary()
        named = [["Echo-Method", request["method"]], ["Echo-Target", request["target"]]]
        {200, named ++ [["Echo-Headers", headers]], body}

      _ ->
        {404, [["content-type", "text/plain"]], "There is nothing here.\n"}
    end
  end
end

defmodule Frame do
  def of(head, body \\ "") do
    json = head |> :jiffy.encode([:use_nil]) |> IO.iodata_to_binary()
    [<<byte_size(json)::32, byte_size(body)::32>>, json, body]
  end

  def failure(id, why), do: of(%{type: "failure", id: id, message: why})

  def response(id, {status, headers, body}, limits) do
    [_, json, _] = frame = of(%{type: "response", id: id, status: status, headers: headers}, body)
    fits = byte_size(json) <= limits["jsonBytes"] and byte_size(body) <= limits["bodyBytes"]
    if fits, do: frame, else: failure(id, "the response is larger than the core takes")
  end
end

# The process of one request. It exits with its response, which the connection sends; event streams and WebSockets send
# what they have themselves, and exit as usual. A cancel ends it, or where it traps exits, tells it so.
defmodule Request do
  @events [["content-type", "text/event-stream"], ["cache-control", "no-store"]]

  def run(head, body, core) do
    body = gather(head, body)
    credit = core.limits["streamBytes"] || 65_536

    cond do
      head["target"] == "/clock" and core.streams ->
        accept(head["id"], core, %{status: 200, headers: @events})
        :timer.send_interval(1000, :tick)
        clock(head["id"], core, credit)

      head["target"] == "/chat" and head["websocket"] != nil ->
        accept(head["id"], core, %{status: 101})
        chat(head["id"], core, credit)

      true ->
        exit({:answer, Frame.response(head["id"], Hello.handle(head, body), core.limits)})
    end
  end

  # A request that is large comes in pieces.
  defp gather(%{"more" => true}, pieces) do
    receive do
      {"data", head, piece} -> gather(head, [pieces, piece])
    end
  end

  defp gather(_, pieces), do: IO.iodata_to_binary(pieces)

  defp accept(id, core, response) do
    Process.flag(:trap_exit, true)
    say(core, Map.merge(response, %{type: "response", id: id, more: true}))
  end

  defp clock(id, core, credit) do
    receive do
      :tick when credit > 0 ->
        event = "data: #{Calendar.strftime(NaiveDateTime.local_now(), "%H:%M:%S")}\n\n"
        say(core, %{type: "data", id: id, more: true}, event)
        clock(id, core, credit - byte_size(event))

      {"credit", head, _} ->
        clock(id, core, credit + head["bytes"])

      # Browsers connect again, and find another worker.
      ended when ended == :drain or elem(ended, 0) == :EXIT ->
        say(core, %{type: "data", id: id})

      _ ->
        clock(id, core, credit)
    end
  end

  defp chat(id, core, credit) do
    receive do
      {"message", head, body} when credit > 0 ->
        say(core, %{type: "message", id: id, text: head["text"] == true}, body)
        chat(id, core, credit - byte_size(body) - 64)

      {"credit", head, _} ->
        chat(id, core, credit + head["bytes"])

      {"close", _, _} ->
        say(core, %{type: "close", id: id})

      # A client that does not read misses messages.
      _ ->
        chat(id, core, credit)
    end
  end

  defp say(core, head, body \\ ""), do: send(core.writer, {:send, Frame.of(head, body)})
end

# One connection to the core. What it starts is linked to it, and ends with it.
defmodule Connection do
  defstruct [
    :socket,
    :writer,
    :limits,
    streams: false,
    unread: "",
    requests: %{},
    draining: false
  ]

  # Exits when the core has hung up, and tells whether one of the two has said drain.
  def run(path) do
    case :gen_tcp.connect({:local, path}, 0, [:binary, active: :once, buffer: 65_536]) do
      {:ok, socket} ->
        Process.flag(:trap_exit, true)
        core = %Connection{socket: socket, writer: spawn_link(fn -> write(socket) end)}
        say(core, hello())
        exit({:over, listen(core).draining})

      {:error, why} ->
        exit({:failed, "no core: #{why}"})
    end
  end

  defp hello do
    # The window is 1 or 2 for a handler that may not run beside itself.
    %{type: "hello", protocol: 1, concurrency: String.to_integer(variable("CONCURRENCY") || "64")}
    |> Map.merge(%{pool: variable("POOL"), token: variable("TOKEN")})
    |> Map.merge(%{pid: String.to_integer(System.pid()), language: "elixir #{System.version()}"})
    |> Map.merge(%{features: ["streams", "websockets"], streams: 1000})
  end

  # One that is empty counts as not there.
  def variable(name) do
    value = System.get_env("HANDOFF_#{name}", "")
    if value != "", do: value
  end

  # So no process that has something to say waits for the core. What is there leaves in one write: the speed.
  defp write(socket) do
    receive do
      {:send, frame} -> :gen_tcp.send(socket, all_of(frame))
    end

    write(socket)
  end

  defp all_of(frames) do
    receive do
      {:send, frame} -> all_of([frames | frame])
    after
      0 -> frames
    end
  end

  defp say(core, head), do: send(core.writer, {:send, Frame.of(head)})

  defp listen(%{socket: socket} = core) do
    receive do
      {:tcp, ^socket, bytes} ->
        core = take_frames(%{core | unread: core.unread <> bytes})
        :inet.setopts(socket, active: :once)
        listen(core)

      {:tcp_closed, ^socket} ->
        core

      {{:ended, id}, _, :process, _, reason} ->
        case reason do
          :normal -> :ok
          {:answer, frame} -> send(core.writer, {:send, frame})
          _ -> send(core.writer, {:send, Frame.failure(id, inspect(reason))})
        end

        listen(%{core | requests: Map.delete(core.requests, id)})

      :terminate ->
        unless core.draining, do: say(core, %{type: "drain"})
        listen(drain(core))

      {:EXIT, _, _} ->
        listen(core)
    end
  end

  defp drain(core) do
    for pid <- Map.values(core.requests), do: send(pid, :drain)
    %{core | draining: true}
  end

  defp take_frames(
         %{unread: <<j::32, b::32, json::binary-size(j), body::binary-size(b), rest::binary>>} =
           core
       ) do
    %{} = head = :jiffy.decode(json, [:return_maps, :use_nil])
    take_frames(take(head["type"], head, body, %{core | unread: rest}))
  end

  defp take_frames(core), do: core

  defp take("welcome", head, _, core) do
    %{core | limits: head["limits"], streams: "streams" in (head["features"] || [])}
  end

  defp take("request", %{"id" => id} = head, body, core) do
    about = Map.take(core, [:writer, :limits, :streams])
    watched = [:link, monitor: [tag: {:ended, id}]]
    {pid, _} = :erlang.spawn_opt(Request, :run, [head, body, about], watched)
    if core.draining, do: send(pid, :drain)
    put_in(core.requests[id], pid)
  end

  defp take("request", _, _, _), do: raise("the core sent a request without an id")
  defp take("refused", head, _, _), do: exit({:failed, "refused: #{head["message"]}"})
  defp take("drain", _, _, core), do: drain(core)

  defp take("ping", _, _, core) do
    say(core, %{type: "pong"})
    core
  end

  defp take("cancel", head, _, core) do
    if pid = core.requests[head["id"]], do: Process.exit(pid, :cancelled)
    core
  end

  # For a request that has begun; what came too late and what is unknown goes nowhere.
  defp take(type, head, body, core) do
    if pid = core.requests[head["id"]], do: send(pid, {type, head, body})
    core
  end
end

defmodule Worker do
  # Connects again, later each time. A worker that the core started leaves with it.
  def run(path, pause \\ 100) do
    {connection, _} = spawn_monitor(Connection, :run, [path])
    {drained, terminated} = over(connection)
    if terminated, do: System.halt(0)
    if Connection.variable("TOKEN"), do: System.halt(if drained, do: 0, else: 1)
    pause = if drained, do: 100, else: pause

    receive do
      :terminate -> System.halt(0)
    after
      trunc(pause * (0.5 + :rand.uniform())) -> run(path, min(2 * pause, 5000))
    end
  end

  defp over(connection, terminated \\ false) do
    receive do
      :terminate ->
        send(connection, :terminate)
        over(connection, true)

      {:DOWN, _, :process, ^connection, why} ->
        # What it did not expect, such as a broken frame, Elixir has logged.
        with {:failed, message} <- why, do: IO.puts(:stderr, message)
        {why == {:over, true}, terminated}
    end
  end
end

if path = Connection.variable("SOCKET") do
  worker = self()
  System.trap_signal(:sigterm, fn -> send(worker, :terminate) && :ok end)
  # Else it would stop the virtual machine, with what is in hand.
  :gen_event.delete_handler(:erl_signal_server, :erl_signal_handler, [])
  Worker.run(path)
else
  IO.puts(
    :stderr,
    "HANDOFF_SOCKET is not set: start this worker with 'handoff run -- elixir worker.exs'"
  )

  System.halt(2)
end
