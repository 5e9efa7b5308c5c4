{-# LANGUAGE OverloadedStrings #-}
-- | A whole Handoff worker in Haskell, with aeson and network; docs/PROTOCOL.md tells what it says and hears.
module Main (main) where

import Control.Concurrent (MVar, forkIO, killThread, newEmptyMVar, readMVar, threadDelay, tryPutMVar)
import Control.Concurrent.STM
import Control.Exception (IOException, SomeException, bracket, catch, displayException, evaluate, try)
import Control.Monad (forM_, forever, join, unless, void, when)
import Data.Aeson
import Data.Aeson.Encoding (encodingToLazyByteString)
import Data.Aeson.Types (parseMaybe)
import qualified Data.ByteString as B
import Data.ByteString.Builder (Builder, byteString, toLazyByteString, word32BE)
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.Map.Strict (Map)
import qualified Data.Map.Strict as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Text.Encoding (decodeUtf8)
import Data.Time (NominalDiffTime, defaultTimeLocale, formatTime, getZonedTime)
import Data.Time.Clock.POSIX (getPOSIXTime)
import Data.Version (showVersion)
import Network.Socket (Family (AF_UNIX), SockAddr (SockAddrUnix), Socket, SocketType (Stream), close, connect, defaultProtocol, socket)
import Network.Socket.ByteString (recv)
import qualified Network.Socket.ByteString.Lazy as Lazy
import System.Environment (lookupEnv)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hPutStrLn, stderr)
import System.IO.Error (eofErrorType, isEOFError, mkIOError)
import System.Info (compilerVersion)
import System.Posix.Process (getProcessID)
import System.Posix.Signals (Handler (Catch, Ignore), installHandler, sigINT, sigTERM)
import System.Timeout (timeout)
import Text.Read (readMaybe)

type Headers = [(Text, Text)]

data Request = Request {method, target :: Text, headers :: Headers, content :: B.ByteString}

-- | Your part: status, headers and content. Each request has a thread of its own, so it may take its time.
handle :: Request -> IO (Int, Headers, B.ByteString)
handle request = case T.takeWhile (/= '?') (target request) of
  "/" -> pure (200, text, "hello\n")
  "/echo" -> pure (200, echo, content request)
  _ -> pure (404, text, "There is nothing here.\n")
  where
    text = [("content-type", "text/plain")]
    echo = [("Echo-Method", method request), ("Echo-Target", target request), ("Echo-Headers", allHeaders)]
    allHeaders = decodeUtf8 (L.toStrict (encode (headers request)))

-- | One connection to the core.
data Worker = Worker
  { core :: Socket
  , unread :: IORef B.ByteString -- what came behind the last frame
  , unsent :: TVar (Maybe Builder) -- frames for the core
  , limits :: TVar (Maybe Object) -- those of welcome, when it has come
  , streams, draining :: TVar Bool
  , uploads :: TVar (Map Id (Object, [B.ByteString])) -- requests in pieces, the last piece first
  , clocks, chats :: TVar (Map Id Int) -- event streams and WebSockets, with the bytes that may still be sent to each
  }

type Id = Int

-- | Nothing where the key is not there, null, or something else.
field :: FromJSON value => Key -> Object -> Maybe value
field key = join . parseMaybe (.:? key)

flag :: Key -> Object -> Bool
flag key = (== Just True) . field key

encodeHead :: Text -> Series -> B.ByteString
encodeHead kind others = L.toStrict (encodingToLazyByteString (pairs ("type" .= kind <> others)))

sendFrame :: Worker -> B.ByteString -> B.ByteString -> STM ()
sendFrame worker head body = modifyTVar' (unsent worker) (<> Just (size head <> size body <> byteString head <> byteString body))
  where size = word32BE . fromIntegral . B.length

send :: Worker -> Text -> Series -> STM ()
send worker kind others = sendFrame worker (encodeHead kind others) ""

failRequest :: Worker -> Id -> String -> STM ()
failRequest worker number why = send worker "failure" ("id" .= number <> "message" .= take 1000 why)

-- | A limit of welcome.
limit :: Worker -> Key -> Int -> STM Int
limit worker key fallback = fromMaybe fallback . (>>= field key) <$> readTVar (limits worker)

-- | Writes what waits in one write: most of the speed comes from that. The reader notices when the core is gone.
writeAll :: Worker -> IO ()
writeAll worker = void (try (forever once) :: IO (Either IOException ()))
  where
    once = atomically (swapTVar (unsent worker) Nothing >>= maybe retry pure) >>= Lazy.sendAll (core worker) . toLazyByteString

exactly :: Worker -> Int -> IO B.ByteString
exactly worker wanted = readIORef (unread worker) >>= \left -> collect [left] (B.length left)
  where
    collect pieces size
      | size >= wanted = do
          let (whole, rest) = B.splitAt wanted (B.concat (reverse pieces))
          whole <$ writeIORef (unread worker) rest
      | otherwise = do
          piece <- recv (core worker) 65536
          when (B.null piece) $ ioError (mkIOError eofErrorType "the core hung up" Nothing Nothing)
          collect (piece : pieces) (size + B.length piece)

-- | Goes on until the core hangs up.
readAll :: Worker -> IO ()
readAll worker = forever $ do
  (jsonBytes, bodyBytes) <- B.splitAt 4 <$> exactly worker 8
  head <- exactly worker (number jsonBytes)
  body <- exactly worker (number bodyBytes)
  either (\why -> ioError (userError ("the core sent " <> why))) (\object -> hear worker object body) (eitherDecodeStrict' head)
  where number = B.foldl' (\high octet -> high * 256 + fromIntegral octet) 0

hear :: Worker -> Object -> B.ByteString -> IO ()
hear worker head body = case (fromMaybe "" (field "type" head) :: Text, fromMaybe 0 (field "id" head)) of
  ("request", 0) -> ioError (userError "the core sent a request without an id")
  ("request", number)
    | flag "more" head -> atomically $ modifyTVar' (uploads worker) (Map.insert number (head, [body]))
    | otherwise -> start worker number head body
  ("data", number) -> do
    upload <- atomically $ Map.lookup number <$> readTVar (uploads worker)
    forM_ upload $ \(request, pieces) ->
      if flag "more" head
        then atomically $ modifyTVar' (uploads worker) (Map.insert number (request, body : pieces))
        else do
          atomically $ modifyTVar' (uploads worker) (Map.delete number)
          start worker number request (B.concat (reverse (body : pieces)))
  ("refused", _) -> ioError (userError ("refused: " <> fromMaybe "" (field "message" head)))
  (kind, number) -> atomically $ note worker kind number head body

-- | What the core says that is no part of a request.
note :: Worker -> Text -> Id -> Object -> B.ByteString -> STM ()
note worker kind number head body = case kind of
  "welcome" -> do
    writeTVar (limits worker) (field "limits" head)
    writeTVar (streams worker) (elem ("streams" :: Text) (fromMaybe [] (field "features" head)))
  "credit" -> forM_ [clocks worker, chats worker] $ \credits ->
    modifyTVar' credits (Map.adjust (+ fromMaybe 0 (field "bytes" head)) number)
  "message" -> spend (chats worker) number (B.length body + 64) $
    sendFrame worker (encodeHead "message" ("id" .= number <> "text" .= flag "text" head)) body
  "close" -> ending (chats worker) number $ send worker "close" ("id" .= number)
  "cancel" -> do
    endClock worker number
    ending (uploads worker) number $ failRequest worker number "cancelled"
  "ping" -> send worker "pong" mempty
  "drain" -> writeTVar (draining worker) True
  _ -> pure ()

start :: Worker -> Id -> Object -> B.ByteString -> IO ()
start worker number head body = do
  credit <- atomically $ limit worker "streamBytes" 65536
  streaming <- readTVarIO (streams worker)
  let begin credits others = atomically $ do
        send worker "response" ("id" .= number <> "more" .= True <> others)
        modifyTVar' credits (Map.insert number credit)
      events = [("content-type", "text/event-stream"), ("cache-control", "no-store")] :: Headers
      path = fromMaybe "" (field "target" head)
  case path of
    "/clock" | streaming -> begin (clocks worker) ("status" .= (200 :: Int) <> "headers" .= events)
    "/chat" | isJust (field "websocket" head :: Maybe [Text]) -> begin (chats worker) ("status" .= (101 :: Int))
    _ -> void $ forkIO $ answer worker number $
      Request (fromMaybe "" (field "method" head)) path (fromMaybe [] (field "headers" head)) body

answer :: Worker -> Id -> Request -> IO ()
answer worker number request = respond `catch` \why -> atomically $ failRequest worker number (displayException (why :: SomeException))
  where
    respond = do
      (status, given, body) <- handle request
      head <- evaluate (encodeHead "response" ("id" .= number <> "status" .= status <> "headers" .= given))
      size <- evaluate (B.length body)
      atomically $ do
        fits <- (&&) <$> ((B.length head <=) <$> limit worker "jsonBytes" maxBound) <*> ((size <=) <$> limit worker "bodyBytes" maxBound)
        if fits then sendFrame worker head body else failRequest worker number "the response is larger than the core takes"

-- | A client that does not read misses what is sent meanwhile.
spend :: TVar (Map Id Int) -> Id -> Int -> STM () -> STM ()
spend credits number bytes sending = do
  credit <- Map.findWithDefault 0 number <$> readTVar credits
  when (credit > 0) $ modifyTVar' credits (Map.insert number (credit - bytes)) >> sending

ending :: TVar (Map Id value) -> Id -> STM () -> STM ()
ending open number sending = do
  isOpen <- Map.member number <$> readTVar open
  when isOpen $ modifyTVar' open (Map.delete number) >> sending

endClock :: Worker -> Id -> STM ()
endClock worker number = ending (clocks worker) number $ send worker "data" ("id" .= number)

tickForever :: Worker -> IO ()
tickForever worker = forever $ do
  threadDelay 1000000
  event <- C.pack . formatTime defaultTimeLocale "data: %H:%M:%S\n\n" <$> getZonedTime
  atomically $ do
    open <- Map.keys <$> readTVar (clocks worker)
    forM_ open $ \number -> spend (clocks worker) number (B.length event) $
      sendFrame worker (encodeHead "data" ("id" .= number <> "more" .= True)) event
    leaving <- readTVar (draining worker)
    when leaving $ mapM_ (endClock worker) open -- browsers connect again, and find another worker

-- | After SIGTERM no new requests; the core hangs up when it has all responses. It hears nothing before its welcome.
leaveWhenTold :: MVar () -> Worker -> IO ()
leaveWhenTold terminated worker = do
  readMVar terminated
  atomically $ do
    readTVar (limits worker) >>= check . isJust
    told <- swapTVar (draining worker) True
    unless told $ send worker "drain" mempty

-- | Goes on until the core hangs up, and tells whether one of the two has said drain.
serve :: MVar () -> Socket -> IO Bool
serve terminated connection = do
  worker <- Worker connection <$> newIORef "" <*> newTVarIO Nothing <*> newTVarIO Nothing <*> newTVarIO False <*> newTVarIO False
    <*> newTVarIO Map.empty <*> newTVarIO Map.empty <*> newTVarIO Map.empty
  window <- (>>= readMaybe) <$> variable "HANDOFF_CONCURRENCY"
  pool <- variable "HANDOFF_POOL"
  token <- variable "HANDOFF_TOKEN"
  process <- getProcessID
  atomically $ send worker "hello" $
    "protocol" .= (1 :: Int) <> "concurrency" .= (fromMaybe 64 window :: Int) <> "pool" .= pool <> "token" .= token
      <> "pid" .= (fromIntegral process :: Int) <> "language" .= ("haskell, ghc " <> showVersion compilerVersion)
      <> "features" .= (["streams", "websockets"] :: [Text]) <> "streams" .= (1000 :: Int)
  over <- beside (leaveWhenTold terminated worker) $ beside (tickForever worker) $ beside (writeAll worker) $ try (readAll worker)
  either (\why -> unless (isEOFError why) (report why)) pure over
  readTVarIO (draining worker)
  where beside thread = bracket (forkIO thread) killThread . const

report :: IOException -> IO ()
report why = hPutStrLn stderr ("no core, or a broken frame: " <> displayException why)

-- | An empty one counts as not there.
variable :: String -> IO (Maybe String)
variable name = (>>= \value -> if null value then Nothing else Just value) <$> lookupEnv name

run :: MVar () -> FilePath -> NominalDiffTime -> IO ()
run terminated path pause = do
  drained <- bracket (socket AF_UNIX Stream defaultProtocol) close
    (\connection -> connect connection (SockAddrUnix path) >> serve terminated connection)
    `catch` \why -> False <$ report why
  token <- variable "HANDOFF_TOKEN"
  when (isJust token) $ leave drained -- a worker that the core started leaves with it
  now <- getPOSIXTime
  let share = 0.5 + snd (properFraction (10000 * now) :: (Integer, NominalDiffTime)) -- digits that differ between workers
  told <- timeout (round (1000000 * share * pause)) (readMVar terminated)
  when (isJust told) $ leave True
  run terminated path (if drained then 0.1 else min 5 (2 * pause))
  where leave well = exitWith (if well then ExitSuccess else ExitFailure 1)

main :: IO ()
main = do
  terminated <- newEmptyMVar
  void $ installHandler sigINT Ignore Nothing -- Ctrl-C reaches the core, which drains its workers
  void $ installHandler sigTERM (Catch (void (tryPutMVar terminated ()))) Nothing
  path <- variable "HANDOFF_SOCKET"
  case path of
    Just socketPath -> run terminated socketPath 0.1
    Nothing -> do
      hPutStrLn stderr "HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'"
      exitWith (ExitFailure 2)
