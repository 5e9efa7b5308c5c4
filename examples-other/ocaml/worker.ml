(* A whole Handoff worker in OCaml, with Yojson; docs/PROTOCOL.md tells what it says and hears. *)
open Yojson.Basic.Util

(* JSON of headers, whose characters end at U+00FF: in UTF-8 those past ASCII are C2 or C3 and one byte more. *)
let ascii json =
  let text = Buffer.create 1024 and first = ref 0 in
  String.iter
    (fun byte ->
      match Char.code byte with
      | (0xC2 | 0xC3) as code -> first := code
      | code when code >= 0x80 -> Printf.bprintf text "\\u%04x" (((!first land 3) lsl 6) lor (code land 63))
      | _ -> Buffer.add_char text byte)
    (Yojson.Basic.to_string json);
  Buffer.contents text

(* Your part: from a request to status, headers and content. Requests come one after the other. *)
let handle request body =
  let target = request |> member "target" |> to_string in
  match List.hd (String.split_on_char '?' target) with
  | "/" -> (200, [ ("content-type", "text/plain") ], "hello\n")
  | "/echo" ->
    let method_ = request |> member "method" |> to_string in
    let headers = ascii (member "headers" request) in
    (200, [ ("Echo-Method", method_); ("Echo-Target", target); ("Echo-Headers", headers) ], body)
  | _ -> (404, [ ("content-type", "text/plain") ], "There is nothing here.\n")

exception Hung_up

(* One connection to the core. *)
type worker = {
  core : Unix.file_descr;
  unread : Buffer.t;
  mutable needed : int; (* bytes of it that make the next frame whole *)
  unsent : Buffer.t;
  mutable sending : Bytes.t; (* before what is in unsent *)
  mutable sent : int; (* bytes of it *)
  mutable limits : Yojson.Basic.t;
  mutable streams : bool;
  mutable draining : bool;
  uploads : (int, Yojson.Basic.t * Buffer.t) Hashtbl.t; (* requests in pieces under way, by id *)
  clocks : (int, unit) Hashtbl.t; (* event streams, likewise *)
  credit : (int, int) Hashtbl.t; (* the bytes that may still be sent to each clock and each WebSocket *)
}

let terminated = ref false
let env name = match Sys.getenv_opt name with Some "" -> None | value -> value
let string_or_null = Option.fold ~none:`Null ~some:(fun value -> `String value)
let frame type_ id more = ("type", `String type_) :: ("id", `Int id) :: more
let flag key head = member key head = `Bool true
let limit worker key ~default = worker.limits |> member key |> to_int_option |> Option.value ~default

let rec send ?(body = "") worker head =
  let json = Yojson.Basic.to_string (`Assoc head) in
  let over key text = String.length text > limit worker key ~default:max_int in
  if List.mem ("type", `String "response") head && (over "jsonBytes" json || over "bodyBytes" body) then
    fail worker (to_int (List.assoc "id" head)) "the response is larger than the core takes"
  else begin
    Buffer.add_int32_be worker.unsent (Int32.of_int (String.length json));
    Buffer.add_int32_be worker.unsent (Int32.of_int (String.length body));
    Buffer.add_string worker.unsent json;
    Buffer.add_string worker.unsent body
  end

and fail worker id why = send worker (frame "failure" id [ ("message", `String (String.escaped why)) ])

let respond ?body ?(more = false) worker id status headers =
  let headers = `List (List.map (fun (name, value) -> `List [ `String name; `String value ]) headers) in
  send ?body worker (frame "response" id [ ("status", `Int status); ("headers", headers); ("more", `Bool more) ])

let start worker head body =
  let id = head |> member "id" |> to_int and target = member "target" head in
  let begin_with credit = Hashtbl.replace worker.credit id credit in
  if target = `String "/clock" && worker.streams then begin
    respond worker id 200 [ ("content-type", "text/event-stream"); ("cache-control", "no-store") ] ~more:true;
    Hashtbl.replace worker.clocks id ();
    begin_with (limit worker "streamBytes" ~default:65536)
  end
  else if target = `String "/chat" && member "websocket" head <> `Null then begin
    respond worker id 101 [] ~more:true;
    begin_with (limit worker "streamBytes" ~default:65536)
  end
  else
    match handle head body with
    | status, headers, content -> respond worker id status headers ~body:content
    | exception why -> fail worker id (Printexc.to_string why)

(* A client that does not read misses what is sent meanwhile. *)
let spend worker id bytes send_it =
  match Hashtbl.find_opt worker.credit id with
  | Some left when left > 0 -> Hashtbl.replace worker.credit id (left - bytes); send_it ()
  | _ -> ()

let end_clock worker id =
  Hashtbl.remove worker.clocks id;
  Hashtbl.remove worker.credit id;
  send worker (frame "data" id [])

let tick worker =
  let now = Unix.localtime (Unix.time ()) in
  let event = Printf.sprintf "data: %02d:%02d:%02d\n\n" now.tm_hour now.tm_min now.tm_sec in
  let tell id () =
    spend worker id (String.length event) (fun () -> send worker (frame "data" id [ ("more", `Bool true) ]) ~body:event);
    if worker.draining then end_clock worker id (* browsers connect again, and find another worker *)
  in
  Hashtbl.iter tell (Hashtbl.copy worker.clocks)

let take worker head body =
  let id () = head |> member "id" |> to_int in
  match head |> member "type" |> to_string with
  | "welcome" ->
    worker.limits <- member "limits" head;
    worker.streams <- (match member "features" head with `List all -> List.mem (`String "streams") all | _ -> false)
  | "request" when flag "more" head ->
    let pieces = Buffer.create 65536 in
    Buffer.add_string pieces body;
    Hashtbl.replace worker.uploads (id ()) (head, pieces)
  | "request" -> start worker head body
  | "data" when Hashtbl.mem worker.uploads (id ()) ->
    let request, pieces = Hashtbl.find worker.uploads (id ()) in
    Buffer.add_string pieces body;
    if not (flag "more" head) then begin
      Hashtbl.remove worker.uploads (id ());
      start worker request (Buffer.contents pieces)
    end
  | "credit" when Hashtbl.mem worker.credit (id ()) ->
    Hashtbl.replace worker.credit (id ()) (Hashtbl.find worker.credit (id ()) + to_int (member "bytes" head))
  | "message" ->
    spend worker (id ()) (String.length body + 64) (fun () ->
        send worker (frame "message" (id ()) [ ("text", `Bool (flag "text" head)) ]) ~body)
  | "close" when Hashtbl.mem worker.credit (id ()) ->
    Hashtbl.remove worker.credit (id ());
    send worker (frame "close" (id ()) [])
  | "cancel" when Hashtbl.mem worker.clocks (id ()) -> end_clock worker (id ())
  | "cancel" when Hashtbl.mem worker.uploads (id ()) ->
    Hashtbl.remove worker.uploads (id ());
    fail worker (id ()) "cancelled"
  | "ping" -> send worker [ ("type", `String "pong") ]
  | "drain" -> worker.draining <- true
  | "refused" -> failwith ("refused: " ^ (head |> member "message" |> to_string))
  | _ -> ()

let rec take_frames worker frames at =
  let length at = Int32.to_int (String.get_int32_be frames at) and left = String.length frames - at in
  worker.needed <- (if left < 8 then 8 else 8 + length at + length (at + 4));
  if left < worker.needed then at
  else begin
    let json = length at and body = length (at + 4) in
    take worker (Yojson.Basic.from_string (String.sub frames (at + 8) json)) (String.sub frames (at + 8 + json) body);
    take_frames worker frames (at + 8 + json + body)
  end

let chunk = Bytes.create 65536

let read worker =
  match Unix.read worker.core chunk 0 (Bytes.length chunk) with
  | 0 -> raise Hung_up
  | count ->
    Buffer.add_subbytes worker.unread chunk 0 count;
    if Buffer.length worker.unread >= worker.needed then begin
      let frames = Buffer.contents worker.unread in
      let rest = take_frames worker frames 0 in
      Buffer.clear worker.unread;
      Buffer.add_substring worker.unread frames rest (String.length frames - rest)
    end

(* As much as the core takes now; tells whether more waits. All responses to what one read brought leave in one write: the speed. *)
let flush worker =
  if worker.sent = Bytes.length worker.sending then begin
    worker.sending <- Buffer.to_bytes worker.unsent;
    worker.sent <- 0;
    Buffer.clear worker.unsent
  end;
  let left = Bytes.length worker.sending - worker.sent in
  (match if left = 0 then 0 else Unix.single_write worker.core worker.sending worker.sent left with
  | count -> worker.sent <- worker.sent + count
  | exception Unix.Unix_error ((EAGAIN | EWOULDBLOCK | EINTR), _, _) -> ());
  worker.sent < Bytes.length worker.sending || Buffer.length worker.unsent > 0

(* Goes on until the core hangs up. *)
let serve worker =
  let window = Option.bind (env "HANDOFF_CONCURRENCY") int_of_string_opt in
  send worker
    [
      ("type", `String "hello"); ("protocol", `Int 1);
      ("concurrency", `Int (Option.value window ~default:64)); (* 1 or 2 for a handler that waits for others *)
      ("pool", string_or_null (env "HANDOFF_POOL")); ("token", string_or_null (env "HANDOFF_TOKEN"));
      ("pid", `Int (Unix.getpid ())); ("language", `String ("ocaml " ^ Sys.ocaml_version));
      ("features", `List [ `String "streams"; `String "websockets" ]); ("streams", `Int 1000);
    ] [@ocamlformat "disable"];
  let next_tick = ref (Unix.gettimeofday () +. 1.) in
  while true do
    let writes = if flush worker then [ worker.core ] else [] in
    (match Unix.select [ worker.core ] writes [] (max 0. (!next_tick -. Unix.gettimeofday ())) with
    | [], _, _ | (exception Unix.Unix_error (EINTR, _, _)) -> ()
    | _ -> read worker);
    if !terminated && not worker.draining then begin
      send worker [ ("type", `String "drain") ];
      worker.draining <- true
    end;
    if Unix.gettimeofday () >= !next_tick then begin
      tick worker;
      next_tick := Unix.gettimeofday () +. 1.
    end
  done

let rec run path pause =
  let core = Unix.socket PF_UNIX SOCK_STREAM 0 in
  let worker =
    {
      core; unread = Buffer.create 65536; needed = 8; unsent = Buffer.create 65536; sending = Bytes.empty; sent = 0;
      limits = `Null; streams = false; draining = false;
      uploads = Hashtbl.create 16; clocks = Hashtbl.create 16; credit = Hashtbl.create 16;
    } [@ocamlformat "disable"]
  in
  (try
     Unix.connect core (ADDR_UNIX path);
     Unix.set_nonblock core;
     serve worker
   with
  | Hung_up -> ()
  | Failure why -> prerr_endline why
  | why -> prerr_endline ("no core, or a broken frame: " ^ Printexc.to_string why));
  Unix.close core;
  (* A worker that the core started leaves with it. *)
  if env "HANDOFF_TOKEN" <> None || !terminated then exit (if worker.draining then 0 else 1);
  let pause = if worker.draining then 0.1 else pause in
  (try ignore (Unix.select [] [] [] (pause *. (0.5 +. Random.float 1.))) with Unix.Unix_error (EINTR, _, _) -> ());
  run path (min 5. (2. *. pause))

let () =
  Random.self_init ();
  Sys.set_signal Sys.sigint Signal_ignore; (* Ctrl-C reaches the core, which drains its workers *)
  Sys.set_signal Sys.sigpipe Signal_ignore;
  Sys.set_signal Sys.sigterm (Signal_handle (fun _ -> terminated := true));
  match env "HANDOFF_SOCKET" with
  | Some path -> run path 0.1
  | None ->
    prerr_endline "HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'";
    exit 2
